"""The debate engine: language models (or simulated and scripted ones) as debaters, and a record of everything they said."""

from madsim.llm._anthropic import AnthropicModel
from madsim.llm._budget import Amount, Budget
from madsim.llm._cache import ReplyCache
from madsim.llm._callable import CallableModel
from madsim.llm._context_growth import ContextGrowth, context_growth
from madsim.llm._controls import CONTROLS, Control, control, run_control
from madsim.llm._debater import Debater
from madsim.llm._diagnostics import Adoption, Diagnostics, EchoChamber, adoption, diagnose, echo_chamber
from madsim.llm._errors import BudgetError, MisuseError, ModelError
from madsim.llm._events import EVENT_KINDS, Event
from madsim.llm._fork import fork
from madsim.llm._inner import InnerDebate
from madsim.llm._offline import rejudge, revote
from madsim.llm._openai import OpenAIModel
from madsim.llm._outcome import METHODS, STATUSES, Decision, Outcome
from madsim.llm._panels import (
    PERSONAS,
    affirmative_negative,
    agreement_dial,
    copies,
    devils_advocate,
    identical,
    personas,
    two_sides,
)
from madsim.llm._pause import accept, grant, terminate
from madsim.llm._plan import Plan, plan
from madsim.llm._prices import Price, Prices, read_prices
from madsim.llm._probe import role_score
from madsim.llm._prompts import Prompts
from madsim.llm._request import Completion, Context, Heard, Model, Request, Session, Settings, Usage
from madsim.llm._resume import resume, resume_async, resume_record, resume_record_async
from madsim.llm._retry import Retry
from madsim.llm._run import (
    RunTotals,
    record_debates,
    record_debates_async,
    run_debates,
    run_debates_async,
    watch_debates,
)
from madsim.llm._said import Said
from madsim.llm._scripted import ScriptedModel
from madsim.llm._setup import Steer, Turn
from madsim.llm._simulated import SimulatedModel
from madsim.llm._structures import STRUCTURES, Arrangement, Structure, structure
from madsim.llm._tools import Tool

__all__ = [
    "CONTROLS",
    "EVENT_KINDS",
    "METHODS",
    "PERSONAS",
    "STATUSES",
    "STRUCTURES",
    "Adoption",
    "Amount",
    "AnthropicModel",
    "Arrangement",
    "Budget",
    "BudgetError",
    "CallableModel",
    "Completion",
    "Context",
    "ContextGrowth",
    "Control",
    "Debater",
    "Decision",
    "Diagnostics",
    "EchoChamber",
    "Event",
    "Heard",
    "InnerDebate",
    "MisuseError",
    "Model",
    "ModelError",
    "OpenAIModel",
    "Outcome",
    "Plan",
    "Price",
    "Prices",
    "Prompts",
    "ReplyCache",
    "Request",
    "Retry",
    "RunTotals",
    "Said",
    "ScriptedModel",
    "Session",
    "Settings",
    "SimulatedModel",
    "Steer",
    "Structure",
    "Tool",
    "Turn",
    "Usage",
    "accept",
    "adoption",
    "affirmative_negative",
    "agreement_dial",
    "context_growth",
    "control",
    "copies",
    "devils_advocate",
    "diagnose",
    "echo_chamber",
    "fork",
    "grant",
    "identical",
    "personas",
    "plan",
    "read_prices",
    "record_debates",
    "record_debates_async",
    "rejudge",
    "resume",
    "resume_async",
    "resume_record",
    "resume_record_async",
    "revote",
    "role_score",
    "run_control",
    "run_debates",
    "run_debates_async",
    "structure",
    "terminate",
    "two_sides",
    "watch_debates",
]
