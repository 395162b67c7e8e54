"""Why a call gave no reply, and what that means for a retry and for the bill."""

from __future__ import annotations

import re

from madsim.llm._request import Usage

_SECRETS = re.compile(
    r"(?i)(?:\b(?:sk|pk|rk|gsk|xai|key|hf|ghp|AIza)[-_][A-Za-z0-9_\-.*]{6,}"
    r"|(?:bearer|basic)\s+[A-Za-z0-9_\-.=+/~]{6,}"
    r"|(?:api[-_ ]?key|authorization|x-api-key)\W{1,4}[^\s,;'\"}]{4,})"
)
_LONGEST_DETAIL = 300


class ModelError(Exception):
    """A call without a usable reply.

    Attributes
    ----------
    code : short word or HTTP status: ``"429"``, ``"500"``, ``"timeout"``, ``"connection"``, ``"cut_reply"``, ``"empty_choices"``,
        ``"wrong_reply"``, ``"quota"``, ``"context_overflow"``, ...
    retryable : whether the same call may succeed later
    retry_after : seconds the server asks to wait
    billed : whether the call may have been paid for: ``"no"`` (refused before any work), ``"maybe"`` (lost on the wire) or ``"yes"``
        (a reply came and was unusable)
    usage : tokens that the unusable reply reported
    """

    def __init__(
        self,
        code: str,
        detail: str = "",
        *,
        retryable: bool = False,
        retry_after: float | None = None,
        billed: str = "no",
        usage: Usage | None = None,
    ) -> None:
        self.code = code
        self.detail = redact(detail)
        self.retryable = retryable
        self.retry_after = retry_after
        self.billed = billed
        self.usage = usage
        super().__init__(f"{code}: {self.detail}" if self.detail else code)


class MisuseError(ValueError):
    """A model cannot do what it is asked, whatever is retried: a mistake in the set-up, which ends the run instead of a turn."""


class BudgetError(Exception):
    """What the next call may cost does not fit into what is left of the budget."""


class AwayError(Exception):
    """The person of a seat is not there; `name` is the seat's."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"nobody answered for {name}: resume the run when somebody can")


def redact(text: str, secrets: tuple[str, ...] = ()) -> str:
    """`text` short and without anything that looks like a key; `secrets` are removed wherever they stand."""
    for secret in secrets:
        if len(secret) >= 4:
            text = text.replace(secret, "[removed]")
    text = _SECRETS.sub("[removed]", text)
    return text if len(text) <= _LONGEST_DETAIL else text[: _LONGEST_DETAIL - 1] + "…"


class HandOffError(Exception):
    """A phase ended without the document that it should hand on."""
