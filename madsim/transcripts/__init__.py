"""What agents really said, and the votes in it: simulated runs, own debates and imported ones leave the same kind of thing."""

from madsim.transcripts._early import carry_forward, recognise_early_stopping
from madsim.transcripts._export import TABLE_COLUMNS, export_table, write_run
from madsim.transcripts._flips import Flips, flips
from madsim.transcripts._import import FORMATS, import_run, sniff
from madsim.transcripts._merge import merge_records
from madsim.transcripts._offline import cut_rounds, reextract, reorder_agents
from madsim.transcripts._record import CallKey, Record, call_key, read_record, record_of
from madsim.transcripts._rejudge import Rejudged, rejudge
from madsim.transcripts._run import Reply, Run, Transcript
from madsim.transcripts._run_of_record import read_run, run_of
from madsim.transcripts._scores import (
    accuracy_by_round,
    clustered_mean,
    disagreement_by_round,
    entropy_by_round,
    plurality_credit,
    unparsed_by_round,
    vote_by_round,
)
from madsim.transcripts._votes import State, Votes
from madsim.transcripts._votes_of import votes_of
from madsim.transcripts._writer import RunWriter

__all__ = [
    "FORMATS",
    "TABLE_COLUMNS",
    "CallKey",
    "Flips",
    "Record",
    "Rejudged",
    "Reply",
    "Run",
    "RunWriter",
    "State",
    "Transcript",
    "Votes",
    "accuracy_by_round",
    "call_key",
    "carry_forward",
    "clustered_mean",
    "cut_rounds",
    "disagreement_by_round",
    "entropy_by_round",
    "export_table",
    "flips",
    "import_run",
    "merge_records",
    "plurality_credit",
    "read_record",
    "read_run",
    "recognise_early_stopping",
    "record_of",
    "reextract",
    "rejudge",
    "reorder_agents",
    "run_of",
    "sniff",
    "unparsed_by_round",
    "vote_by_round",
    "votes_of",
    "write_run",
]
