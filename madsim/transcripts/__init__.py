"""What agents really said, and the votes in it: simulated runs, own debates and imported ones leave the same kind of thing."""

from madsim.transcripts._record import CallKey, Record, call_key, read_record, record_of
from madsim.transcripts._run import Reply, Run, Transcript
from madsim.transcripts._run_of_record import read_run, run_of
from madsim.transcripts._votes import State, Votes
from madsim.transcripts._writer import RunWriter

__all__ = [
    "CallKey",
    "Record",
    "Reply",
    "Run",
    "RunWriter",
    "State",
    "Transcript",
    "Votes",
    "call_key",
    "read_record",
    "read_run",
    "record_of",
    "run_of",
]
