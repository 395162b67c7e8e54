"""What agents really said, and the votes in it: simulated runs, own debates and imported ones leave the same kind of thing."""

from madsim.transcripts._run import Reply, Run, Transcript
from madsim.transcripts._votes import State, Votes

__all__ = ["Reply", "Run", "State", "Transcript", "Votes"]
