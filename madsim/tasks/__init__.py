"""Question sets: the samples that a debate or a vote answers."""

from madsim.tasks._read import read_samples
from madsim.tasks._sample import ANSWER_TYPES, Sample, sample_from_dict

__all__ = ["ANSWER_TYPES", "Sample", "read_samples", "sample_from_dict"]
