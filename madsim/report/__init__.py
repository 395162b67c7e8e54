"""Reports: one self-contained HTML page about runs, for readers with and without a mouse, a screen or a network."""

from madsim.report._write import write_report

__all__ = ["write_report"]
