"""Read a judge's verdict, and reconcile the verdicts of several presentation orders. Replies are data: JSON is parsed,
nothing is evaluated."""

from __future__ import annotations

import re
from collections.abc import Sequence

from madsim.answers._contestants import Contestants
from madsim.answers._judging import decide, opening_side
from madsim.answers._mask import without_thinking
from madsim.answers._normal import normal
from madsim.answers._tables import announced_cell
from madsim.answers._types import Verdict
from madsim.answers._verdict_json import NOT_SAID, is_list, is_quoted, is_reported, own_objects, said_in

_WORDS = (
    r"verdict|winner|decision|judge?ment|choice|vote|answer|pick|preference|selection|selected|preferred|ruling|"
    r"conclusion|victor|victory|"
    r"edge|advantage|correction|(?:better|best|winning|stronger|strongest)(?: (?:debater|side|answer|argument|"
    r"response|one|case))?|"
    r"more (?:convincing|persuasive)(?: \w+)?|(?:1st|first)(?: place)?(?=[*_\s]*[:=-])|rank(?: #?1)?|ranking|"
    r"order|best to worst|#1|"
    r"urteil|entscheidung|gewinner|sieger|gagnante?|vainqueur|d[ée]cision|ganadora?|veredicto|decisi[óo]n|"
    r"vencedora?|veredito|decis[ãa]o|"
    r"vincitore|vincitrice|verdetto|decisione"
)
_WORDS_CJK = "结论|結論|胜者|获胜者|優勝者|赢家|优胜者|判决|裁决|判定|勝者|판정|승자|결론"
_LABEL = re.compile(
    rf"(?:(?<![\w'])(?P<label>{_WORDS})\b|(?P<cjk>{_WORDS_CJK}))(?P<of>(?: of|"
    rf" for) [^:.\n]{{1,40}}?)?[*_\])\"']{{0,4}}\s?"
    r"(?:(?<!\w)(?:is|goes to|ist|lautet|est|es|é|è)\b|:|：|=|->|→|—|–|-(?=\s)|(?:\.\.\.|…)|是|为|は|는|"
    r"은)[:*_\s]{0,8}(?P<rest>[^\n]{0,200})",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"(?:^|\n)[ \t]*[#*_]+\s?(?:(?:my|the|final|overall)\s)*(?:{_WORDS})[*_: \t]*\n\s*(?P<rest>[^\n]{{1,200}})",
    re.IGNORECASE,
)
_LABEL_HEAD = re.compile(
    r"(?:^|[\n.!?:;*#_|\[(>]|\n[ \t]*(?:[-+•]|\d+[.)]))[^\w\n\"'`]{0,12}(?:(?:and|my|the|our|so|thus|therefore|"
    r"final|overall|better|best|"
    r"der|die|le|la|el|o|il|mein|mon|ma|mi|meu|minha|mio|mia|endgültig\w*|finale?|最终|最終|获|我的)[\s,]*){0,4}$",
    re.IGNORECASE,
)
_LOSER = re.compile(
    r"(?:^|[\n.;|])[ \t*_#>-]*(?:the )?(?:loser|losing \w+|worse|worst|weaker|weakest)(?: (?:debater|side|"
    r"answer|argument|one))?[*_]{0,2}\s?(?:is\b|:|=)"
    r"[:*_\s]{0,8}(?P<rest>[^\n]{0,120})",
    re.IGNORECASE,
)
_TIE_C = re.compile(r"\[\[C\]\]")
_BRACKETED = re.compile(
    r"\[\[(?P<rest>[^\[\]\n]{1,60})\]\]|oxed\{(?:\\text\{)?(?P<box>[^{}\n]{1,60})\}|<(?:verdict|winner|"
    r"decision|answer|choice)>(?P<tag>[^<\n]{1,60})</",
    re.IGNORECASE,
)
_REFUSES = re.compile(
    r"\b(?:I(?:'m| am)? (?:sorry|unable|cannot|can't|can not|won't|will not)|I apologi[sz]e|as an ai|"
    r"decline to|refuse to|cannot (?:help|judge|decide|determine)|can't (?:help|judge|decide|determine))\b",
    re.IGNORECASE,
)
_CELL = re.compile(r"\b(?:winner|verdict|decision|vote|judge?ment|choice)\b", re.IGNORECASE)
_BARE = re.compile(
    r"[\W_]*(?:(?:so|thus|hence|therefore|definitely|clearly|overall|still|"
    r"probably)[\s,:]+)?(?P<side>\w[^\n,:;]{0,60}?)"
    r"(?:[\W_]*|\s?\([^()\n]*\)[\W_]*|\s[-–—]\s(?!(?:win|los|right|wrong|correct))[^\n]*|[,:;\s]+(?:because|"
    r"since|as|by (?:a|far|some)|narrowly|easily|clearly|hands down|"
    r"for sure|not|over|rather than|instead of|in my \w+|I (?:think|believe|say|would say))\b.*)",
    re.IGNORECASE | re.DOTALL,
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
    found, reason, resolved = _decision(plain, Contestants(options, shown))
    if found == "tie" and not allow_tie:
        return Verdict(winner=None, reason="tie_not_allowed", resolved=resolved)
    if found is None:
        return Verdict(winner=None, reason=reason, resolved=resolved)
    position = (shown or options).index(found) if found != "tie" or "tie" in options else None
    return Verdict(winner=found, reason=reason, position=position, resolved=resolved)


_FIRST_WORDS = re.compile(r"[^\n.]{1,40}(?=\n|\.\s)")


def _decision(text: str, contestants: Contestants) -> tuple[str | None, str, bool | None]:
    resolved: bool | None = None
    problem = "none"
    places: list[tuple[int, str, str]] = []
    if is_list(text):
        return None, problem, resolved
    objects, text = own_objects(text)
    for place, fields in objects:
        said = fields.get("resolved", fields.get("is_resolved", fields.get("consensus")))
        if isinstance(said, bool):
            resolved = said
        winner = said_in(fields, contestants)
        if winner is None:
            problem = "unknown_option"
        elif winner is not NOT_SAID:
            places.append((place, winner, "json"))
    for place, winner in _labelled(text, contestants):
        if winner in ("hedge", "unknown_option"):
            problem = winner if winner == "hedge" or problem == "none" else problem
        else:
            places.append((place, winner, "label"))
    for match in _BRACKETED.finditer(text):
        side = (
            "tie"
            if _TIE_C.match(match[0]) and "C" not in contestants.sides and len(contestants.sides) == 2
            else opening_side(match["rest"] or match["box"] or match["tag"], contestants)
        )
        if side not in (None, "hedge"):
            places.append((match.start(), str(side), "label"))
    if places:
        return (*max(places)[1:], resolved)
    if problem != "none":
        return None, problem, resolved
    bare = _bare(text, contestants)
    if bare is not None:
        return (None, "hedge", resolved) if bare == "hedge" else (bare, "bare", resolved)
    winner, reason = decide(text, contestants)
    if winner is None and (first := _FIRST_WORDS.match(text)) is not None:
        opening = _bare(first[0], contestants)
        winner, reason = (opening, "bare") if opening in contestants.sides else (None, "none")
    if winner is None and _REFUSES.search(text):
        reason = "refused"
    return winner, reason, resolved


def _labelled(text: str, contestants: Contestants) -> list[tuple[int, str]]:
    """What stands after labels that are the judge's own: sides, ``"tie"``, ``"hedge"`` or ``"unknown_option"``."""
    found: list[tuple[int, str]] = []
    for match in _LABEL.finditer(text):
        place = match.start()
        if (
            not _LABEL_HEAD.search(text, max(0, place - 40), place)
            or is_reported(text, place)
            or is_quoted(text, place)
        ):
            continue
        rest = _unlisted(match["rest"] if match["rest"].strip(" *_") else text[match.end() : match.end() + 200])
        side = opening_side(rest, contestants)
        if side == "hedge" and (match["label"] or "").lower() in ("ranking", "order", "best to worst"):
            side = contestants.mentions(rest)[0].side
        if side is not None:
            found.append((match.start("rest"), side))
        elif rest.strip(" *_.") and len(rest.split()) <= 3:
            found.append((match.start("rest"), "unknown_option"))
    for match in _HEADING.finditer(text):
        side = opening_side(match["rest"], contestants)
        if side not in (None, "hedge"):
            found.append((match.start("rest"), str(side)))
    for match in _LOSER.finditer(text):
        side = opening_side(match["rest"], contestants)
        other = contestants.other(side) if side in contestants.sides else None
        if other is not None:
            found.append((match.start("rest"), other))
    for match in _CELL.finditer(text) if "|" in text else ():
        cell = announced_cell(text, match.start(), match.end())
        side = opening_side(text[slice(*cell)], contestants) if cell is not None else None
        if side not in (None, "hedge") and cell is not None:
            found.append((cell[0], str(side)))
    return found


def _unlisted(rest: str) -> str:
    """The next line that is not blank, without its list mark."""
    return re.sub(r"^[\s>*+-]*(?:\d+[.)]\s)?", "", rest).split("\n")[0]


def _bare(text: str, contestants: Contestants) -> str | None:
    """The side where the reply is nothing but its name, with its dress and a reason; ``"tie"``, ``"hedge"`` or None."""
    match = _BARE.fullmatch(text) if len(text) <= 400 else None
    whole = contestants.named(match["side"]) if match else None
    if whole is not None:
        return whole
    if match is None or re.match(r"\s*[\[{]\s*[\"']", text):
        return None
    mentions = contestants.mentions(match["side"])
    if len(mentions) == 1 and not (match["side"][: mentions[0].begin] + match["side"][mentions[0].end :]).strip(
        " .*_)(\"'"
    ):
        return mentions[0].side
    side = opening_side(text, contestants) if len(text.split()) <= 4 else None
    return side if side in ("tie", "hedge") or (mentions and side != mentions[0].side) else None


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
