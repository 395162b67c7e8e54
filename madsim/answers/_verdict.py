"""Read a judge's verdict, and reconcile the verdicts of several presentation orders. Replies are data: JSON is parsed,
nothing is evaluated."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from string import ascii_uppercase

from madsim.answers._mask import without_thinking
from madsim.answers._normal import normal
from madsim.answers._options import folded
from madsim.answers._types import Verdict

_KEYS = (
    "winner",
    "verdict",
    "decision",
    "choice",
    "better",
    "best",
    "preferred",
    "preference",
    "vote",
    "selected",
    "selection",
    "final_verdict",
    "final_answer",
    "final answer",
    "answer",
    "result",
    "winning_debater",
    "winning answer",
)
_FIELD = re.compile(
    r"[\"'](?P<key>[A-Za-z_ ]{3,20})[\"']\s*:\s*(?:\"(?P<text>(?:[^\"\\\n]|\\.){0,2000})\"|"
    r"'(?P<single>[^'\n]{0,2000})'|(?P<number>-?\d{1,9})(?=\s*[,}\s]|$)|(?P<null>null|true|false)\b)"
)
_LABEL = re.compile(
    r"(?P<label>verdict|winner|decision|judge?ment|choice|vote|answer|urteil|gewinner|gagnant|ganador|vencedor|vincitore|结论|胜者|勝者|판정|승자)"
    r"[*_\])]{0,4}\s?(?:is\b|goes to\b|:|=|->|→|—|是|为)[:*_\s]{0,8}(?P<rest>[^\n]{0,200})",
    re.IGNORECASE,
)
_LABEL_HEAD = re.compile(
    r"(?:^|[\n.!?:*#_\[(])[*_#\s\[(>]{0,12}(?:(?:my|the|our|so|thus|final|overall|better|best|获)\s?){0,3}$",
    re.IGNORECASE,
)
_PHRASE = re.compile(
    r"(?:\bI(?:'d| would| will|'ll)?\s(?:vote|choose|pick|select|prefer|favou?r|side with|go with|award|"
    r"declare|rule|judge|find|conclude)(?:\s(?:for|in favou?r of|the (?:win|point|victory) to|that|with|"
    r"on))?\s|"
    r"\bI(?:'d| would| will|'ll)?\sgive\s(?:it|this|the \w+|my \w+)\sto\s|"
    r"\b(?:verdict|winner|decision|victory|win|point)\s(?:is|goes to|for)\s|\b(?:in favou?r of|vote for|"
    r"voting for)\s)(?P<rest>[^\n]{0,160})",
    re.IGNORECASE,
)
_WINS = re.compile(
    r"[\s*_)\]\"'](?:wins?\b|won\b|is (?:the )?(?:clear |overall )?(?:winner|better|best|stronger|more (?:convincing|persuasive|correct))|"
    r"has (?:the )?(?:better|stronger|best|strongest|won)|(?:makes|made|presents|presented|gave|gives) the (?:better|stronger|more))",
    re.IGNORECASE,
)
_NAME_LENGTH = 80
_MOST_SENTENCES = 200
_TIE = re.compile(
    r"[\W_]*(?:it(?:'s| is) )?(?:an? |the )?(?:tie|tied|draw|equal|equally|both|neither|unentschieden|égalité|"
    r"empate|pareggio|平局|引き分け|무승부|no winner|even|\[\[?C\]?\])\b",
    re.IGNORECASE,
)
_TIE_C = re.compile(r"\[\[C\]\]")
_BRACKETED = re.compile(
    r"\[\[(?P<rest>[^\[\]\n]{1,60})\]\]|oxed\{(?:\\text\{)?(?P<box>[^{}\n]{1,60})\}|<(?:verdict|winner|"
    r"decision|answer|choice)>(?P<tag>[^<\n]{1,60})</",
    re.IGNORECASE,
)
_NOISE = re.compile(
    r"^[\s*_`\"'(\[{<:#]*(?:(?:that|the|is|to|for|debater|agent|assistant|answer|option|response|argument|"
    r"side|participant|candidate|model|solution|speaker|team|player|position|choice|reply|winner|number|no\.?|"
    r"#)[\s*_`\"'(\[:#]+)*",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:I(?:'m| am)? (?:sorry|unable|cannot|can't|can not|won't|will not)|I apologi[sz]e|as an ai|"
    r"decline to|refuse to|cannot (?:help|judge|decide|determine)|can't (?:help|judge|decide|determine))\b",
    re.IGNORECASE,
)
_NOT_BUT = re.compile(r"[\s*_(\"']*not\s[^\n.]{1,40}?(?:\bbut\b|[,;]\s(?:it is|it's|rather)|\brather\b)\s")
_LAST_WORD = re.compile(r"[,:]\s*[*_(\[\"']*(?P<name>[A-Z]|\d)[)\]*_\"'.]*\s*$")
_NOT_FOUND = "\0"
_QUOTED_BEFORE = re.compile(r"[\"'`“‘]\s*$")
_REPORTING = (
    r"\b(?:wrote|writes|said|says|claims?|claimed|argues?|argued|quotes?|quoted|replied|stated|instructs?|"
    r"asked|tries|tried|output|sway|example|format|form|such as|like|inject|insert(?:ed)?)\b"
)
_REPORTED_DIRECT = re.compile(rf"{_REPORTING}(?: (?:that|me|to|us|the|with|this))*[\s:,]*$", re.IGNORECASE)
_REPORTED_QUOTE = re.compile(
    rf"(?:{_REPORTING}|\b(?:debater|agent|assistant|participant)\b)[^\n\"'`]{{0,60}}[\"'`](?P<inside>[^\"'`\n]*)$",
    re.IGNORECASE,
)


def parse_verdict(
    text: str | None, options: Sequence[str], *, shown_order: Sequence[str] | None = None, allow_tie: bool = True
) -> Verdict:
    """The option that a judge decided for, ``"tie"``, or None for undecided.

    A JSON object counts, whole or cut off after its verdict, in a fence or after prose; then a label such as
    ``Verdict:``, then a sentence such as "I vote for B", then a reply that is nothing but an
    option. An object or a label that the judge quotes from a debater does not count. Nothing makes it raise but
    wrong argument types.

    Parameters
    ----------
    text : the judge's reply; None for no reply
    options : what can win
    shown_order : the options in the order in which the judge saw them as A, B, ...; by default they were shown as
        they are named
    allow_tie : whether a tie is a verdict; else it is undecided

    Raises
    ------
    TypeError
        If `text` is neither text nor None.
    ValueError
        If there is no option, or `shown_order` is not an order of `options`.

    Examples
    --------
    >>> parse_verdict('{"winner": "A"}', ["left", "right"], shown_order=["right", "left"]).winner
    'right'
    """
    if text is not None and not isinstance(text, str):
        raise TypeError(f"a judge's reply must be text or None, got {text!r}")
    options = tuple(options)
    if not options:
        raise ValueError("a verdict needs at least one option")
    shown = tuple(shown_order) if shown_order is not None else None
    if shown is not None and sorted(shown) != sorted(options):
        raise ValueError(f"shown_order must hold each option once: options {options!r}, shown {shown!r}")
    if text is None or not text.strip():
        return Verdict(winner=None, reason="empty")
    plain, unclosed = without_thinking(normal(text))
    if unclosed:
        plain = plain if plain.strip() else ""
    found, reason, resolved = _decision(plain, options, shown)
    if found == "tie" and not allow_tie:
        return Verdict(winner=None, reason="tie_not_allowed", resolved=resolved)
    if found is None:
        return Verdict(winner=None, reason=reason, resolved=resolved)
    position = (shown or options).index(found) if found != "tie" or "tie" in options else None
    return Verdict(winner=found, reason=reason, position=position, resolved=resolved)


def _decision(
    text: str, options: tuple[str, ...], shown: tuple[str, ...] | None
) -> tuple[str | None, str, bool | None]:
    resolved: bool | None = None
    problem = "none"
    places: list[tuple[int, str, str]] = []
    for place, fields in _objects(text):
        said = fields.get("resolved", fields.get("is_resolved", fields.get("consensus")))
        if isinstance(said, bool):
            resolved = said
        value = next((fields[key] for key in _KEYS if key in fields), _NOT_FOUND)
        if value is _NOT_FOUND:
            continue
        winner = _option_of_value(value, options, shown)
        if winner is not None:
            places.append((place, winner, "json"))
        elif value is not None:
            problem = "unknown_option"
    for match in _LABEL.finditer(text):
        place = match.start("label")
        if not _LABEL_HEAD.search(text, max(0, place - 32), place):
            continue
        if _reported(text, place) or _QUOTED_BEFORE.search(text[max(0, place - 2) : place]):
            continue
        winner = _option_at(match["rest"], options, shown)
        if winner == "hedge":
            problem = "hedge"
        elif winner is not None:
            places.append((match.start("rest"), winner, "label"))
        elif match["rest"].strip(" *_.") and problem == "none":
            problem = "unknown_option" if len(match["rest"].split()) <= 3 else problem
    for match in _BRACKETED.finditer(text):
        winner = (
            "tie"
            if _TIE_C.match(match[0]) and "C" not in options and len(options) == 2
            else _option_at(match["rest"] or match["box"] or match["tag"], options, shown)
        )
        if winner not in (None, "hedge"):
            places.append((match.start(), str(winner), "label"))
    if places:
        return (*max(places)[1:], resolved)
    if problem != "none":
        return None, problem, resolved
    winner, reason = _sentences(text, options, shown)
    return winner, reason, resolved


def _objects(text: str) -> list[tuple[int, dict]]:
    """The judge's own JSON objects with their places; of a broken one, the fields that can be read."""
    found: list[tuple[int, dict]] = []
    decoder = json.JSONDecoder()
    place = text.find("{")
    tries = 0
    array_depth = text.lstrip().startswith("[") and not text.lstrip().startswith("[[")
    while place >= 0 and tries < 50:
        tries += 1
        end = place + 1
        if not _quoted_object(text, place):
            try:
                value, end = decoder.raw_decode(text, place)
            except (ValueError, RecursionError):
                fields = _broken(text, place)
                value = fields or None
                end = len(text) if fields else place + 1
            if isinstance(value, dict) and not array_depth:
                found.append((place, {str(key).strip().lower(): item for key, item in value.items()}))
        else:
            close = text.find("}", place)
            end = close + 1 if close >= 0 else len(text)
        place = text.find("{", end)
    return found


def _broken(text: str, place: int) -> dict:
    """The leading fields of an object that is cut off or not quite JSON, up to where it can be read."""
    close = text.find("}", place)
    fields: dict = {}
    for match in _FIELD.finditer(text, place, close if close >= 0 else min(len(text), place + 20_000)):
        value: object = match["text"] if match["text"] is not None else match["single"]
        if match["number"] is not None:
            value = int(match["number"])
        elif match["null"] is not None:
            value = {"null": None, "true": True, "false": False}[match["null"]]
        fields.setdefault(match["key"].lower(), value)
    return fields


def _quoted_object(text: str, place: int) -> bool:
    before = text[max(0, place - 3) : place]
    return (_QUOTED_BEFORE.search(before) is not None and not before.endswith(("``", "`\n"))) or _reported(text, place)


def _reported(text: str, place: int) -> bool:
    """Whether what stands here is told of somebody else, or inside a quotation that was opened on the same line."""
    line = max(text.rfind("\n", max(0, place - 200), place) + 1, place - 120)
    before = text[line:place]
    return _REPORTED_DIRECT.search(before) is not None or _REPORTED_QUOTE.search(before) is not None


def _option_of_value(value: object, options: tuple[str, ...], shown: tuple[str, ...] | None) -> str | None:
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float)):
        return _named(str(value), options, shown)
    if isinstance(value, list) and len(value) == 1:
        return _option_of_value(value[0], options, shown)
    if isinstance(value, dict):
        inner = {str(key).strip().lower(): item for key, item in value.items()}
        return next((_option_of_value(inner[key], options, shown) for key in _KEYS if key in inner), None)
    if not isinstance(value, str):
        return None
    winner = _option_at(value, options, shown)
    return None if winner == "hedge" else winner


def _named(name: str, options: tuple[str, ...], shown: tuple[str, ...] | None) -> str | None:
    """The option with this label or text. Letters mean places where an order was shown."""
    key = folded(name)
    if not key:
        return None
    order = shown or options
    letter = key.upper()
    by_place = (
        order[ascii_uppercase.index(letter)] if len(letter) == 1 and letter in ascii_uppercase[: len(order)] else None
    )
    by_name = {folded(option): option for option in options}.get(key)
    if shown is not None and by_place is not None:
        return by_place
    if by_name is not None:
        return by_name
    if by_place is not None:
        return by_place
    if key.isdecimal() and 1 <= int(key[:9]) <= len(order) and not any(option.isdecimal() for option in options):
        return order[int(key[:9]) - 1]
    words = {"first": 0, "second": 1, "third": 2}
    return order[words[key]] if key in words and words[key] < len(order) else None


def _option_at(text: str, options: tuple[str, ...], shown: tuple[str, ...] | None) -> str | None:
    """The option that a stretch opens with; ``"tie"``, ``"hedge"``, or None."""
    whole = _named(text, options, shown)
    if whole is not None:
        return whole
    negated = _NOT_BUT.match(text)
    if negated is not None:
        return _option_at(text[negated.end() :], options, shown)
    if _TIE.match(text) and "tie" not in map(str.lower, options):
        return "tie"
    noise = _NOISE.match(text)
    rest = text[noise.end() :] if noise else text
    if not rest.strip():
        return None
    longest = sorted(options, key=len, reverse=True)
    for option in longest:
        if len(option) > 1 and re.match(re.escape(option) + r"(?!\w)", rest, re.IGNORECASE):
            return _named(option, options, shown)
    word = re.match(
        r"[\s*_`\"'(\[]*(?P<word>\w+)(?P<after>[)\]*_\"'`]*\s?(?:or|/|and)\s[*_(\"'\[]*(?P<other>\w+))?", rest
    )
    if word is None:
        return None
    first = word["word"]
    if (
        len(first) == 1
        and first.islower()
        and word.end("word") < len(rest.rstrip())
        and rest[word.end("word") : word.end("word") + 1] == " "
        and not first.isdecimal()
    ):
        return None
    winner = _named(first, options, shown)
    other = _named(word["other"], options, shown) if word["other"] else None
    if winner is not None and other is not None and other != winner:
        return "hedge"
    return winner


def _sentences(text: str, options: tuple[str, ...], shown: tuple[str, ...] | None) -> tuple[str | None, str]:
    whole = (
        _option_at(text, options, shown) if len(text.split()) <= 4 and not re.match(r"\s*[\[{]\s*[\"']", text) else None
    )
    if whole == "hedge":
        return None, "hedge"
    if whole is not None:
        return whole, "bare"
    for match in reversed(list(_PHRASE.finditer(text))[-_MOST_SENTENCES:]):
        if re.search(r"\b(?:not|n't|never)\s*$", text[max(0, match.start() - 12) : match.start()]):
            continue
        winner = _option_at(match["rest"], options, shown)
        if winner == "hedge":
            return None, "hedge"
        if winner is not None:
            return winner, "phrase"
    for match in reversed(list(_WINS.finditer(text))[-_MOST_SENTENCES:]):
        name = re.split(r"[\n.!?;:]", text[max(0, match.start() - _NAME_LENGTH) : match.start()])[-1]
        if re.search(r"\bnot\b|n't", name[-12:]):
            continue
        words = [word for word in re.findall(r"\w+", name)[-3:] if len(word) > 1 or word.isupper() or word.isdecimal()]
        winner = next((found for word in reversed(words) if (found := _named(word, options, shown)) is not None), None)
        if winner is not None:
            return winner, "phrase"
    if re.search(
        r"\b(?:it is|it's|this is|call it|declare|result is|ends in)\s(?:an? )?(?:tie|draw)\b", text, re.IGNORECASE
    ):
        return "tie", "phrase"
    last = _LAST_WORD.search(text)
    winner = _named(last["name"], options, shown) if last is not None else None
    if winner is not None and last is not None and not re.search(r"(?:^|\W)[A-Z]$", text[: last.start()]):
        return winner, "phrase"
    return None, "refused" if _REFUSES.search(text) else "none"


def reconcile(verdicts: Sequence[Verdict], *, allow_tie: bool = True) -> Verdict:
    """One verdict from the verdicts of one judge over several presentation orders.

    The same winner in all orders wins. A judge who prefers a place rather than an option, or who contradicts
    itself, gives a tie where ties are allowed, and is undecided otherwise; so does a tie in
    one order. An order without a verdict leaves the whole undecided, since its bias was not ruled out.

    Raises
    ------
    ValueError
        If there is no verdict to reconcile.
    """
    verdicts = tuple(verdicts)
    if not verdicts:
        raise ValueError("there must be at least one verdict to reconcile")
    resolved = next((verdict.resolved for verdict in reversed(verdicts) if verdict.resolved is not None), None)
    winners = {verdict.winner for verdict in verdicts}
    if None in winners:
        first = next(verdict for verdict in verdicts if verdict.winner is None)
        reason = first.reason if len(winners) == 1 else "one_of_two"
        return Verdict(winner=None, reason=reason, resolved=resolved, orders=verdicts)
    if len(winners) == 1:
        winner = winners.pop()
        if winner == "tie" and not allow_tie:
            return Verdict(winner=None, reason="tie_not_allowed", resolved=resolved, orders=verdicts)
        return Verdict(winner=winner, reason="agreed", resolved=resolved, orders=verdicts)
    places = {verdict.position for verdict in verdicts}
    reason = "position_bias" if len(places) == 1 and None not in places else "conflict"
    return Verdict(winner="tie" if allow_tie else None, reason=reason, resolved=resolved, orders=verdicts)
