"""Question sets: the samples that a debate or a vote answers."""

from madsim.tasks._sample import ANSWER_TYPES, Sample

__all__ = ["ANSWER_TYPES", "Sample"]
