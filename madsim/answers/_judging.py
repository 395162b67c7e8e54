"""What a judge's sentences say of the sides that they name: which one wins, or that none does."""

from __future__ import annotations

import re
from itertools import pairwise

from madsim.answers._choose import closes
from madsim.answers._contestants import Contestants, Mention
from madsim.answers._read_choice import REVISE
from madsim.answers._stance import is_former, stance

_MOST_MENTIONS = 24
_BOUND = re.compile(r"[.!?;](?=[\s*_\"')\]]|$|[^\x00-\x7f])|(?<=[^\x00-\x7f])[.!?;]|\n")
_OWNS = (
    r"(?:\s(?:side|team|debater|position|speaker))?(?:'s?(?:\s[\w-]+){0,2}?\s(?:arguments?|case|reasoning|"
    r"answer|response|position|points?|logic|evidence|rebuttals?|solution|"
    r"explanation|analysis|proof|presentation|side|claims?|performance|approach))?(?:,[^,.;\n]{1,40},(?=\s))?"
)
_HOW = (
    r"(?:\s(?:clearly|narrowly|easily|ultimately|just|barely|definitely|slightly|decisively|simply|also|still|"
    r"has|have|had|therefore|"
    r"thus|overall|really|actually|convincingly|then|now|much|far|somewhat|a bit|marginally|generally|both|by far))*"
)
_IS = r"\s(?:is|are|was|were|be|been|seems?|appears?|looks?|remains?|feels|sounds|stands out as)(?: to be)?"
_BETTER = (
    r"(?:winner|better|best|stronger|strongest|superior|preferable|preferred|correct|right|ahead|convincing|"
    r"persuasive|compelling|sound|"
    r"(?:more|most) (?!(?:wrong|flawed|mistaken|confus|error)\w*\b)\w+)"
)
_WORSE = (
    r"(?:loser|worse|worst|weaker|weakest|inferior|wrong|incorrect|mistaken|flawed|unconvincing|unpersuasive|"
    r"(?:less|least) \w+|more (?:wrong|flawed|mistaken|confused|error)\w*)"
)
_A = (
    r"(?:\s(?:the|an?|both|clear|overall|one|more|much|far|slightly|somewhat|marginally|clearly|side|debater|"
    r"with|that))*"
)
_WINS = re.compile(
    rf"[)\]*_`\"']{{0,4}}{_OWNS}{_HOW}(?:\s?[:–-]\s(?:win(?:s|ner)?|right|correct)(?=\W*(?:$|\n))|"
    rf"\s?[:–-]?\s?(?:✅|✓|✔)|"
    r"\s(?:wins?\b(?! (?:if|only))|won\b|should win|(?:is|was|(?:must|should) be) declared (?:the )?winner|ranks? (?:higher|"
    r"first|above)|scores? (?:higher|better)|"
    r"above\b|higher\b|first(?=\W*$|,? and\b|[,;])|prevail(?:s|ed)|beats?\b|defeat(?:s|ed)|"
    r"outperform(?:s|ed)|out-?argue[sd]?|edge[sd] out|surpass(?:es|ed)|outshines?|takes? (?:it|the \w+)|"
    r"t(?:akes|ook) this|(?:convinced|persuaded|swayed|won over) (?:me|us)|"
    r"c[oa]mes? out (?:ahead|on top)|gets? (?:the|my) (?:win|vote|nod|edge|point)|deserves?|triumphs?|dominates?|"
    r"has (?:the|an?) (?:\w+ )?(?:edge|upper hand|advantage|win)|did(?=\W*$)|"
    rf"(?:makes?|made|presents?|presented|gives?|gave|offers?|offered|provides?|provided|had|has|have|builds?|"
    rf"built){_A} {_BETTER}|"
    rf"(?:did|does|argue[sd]?|performs?|performed|reason(?:s|ed)|finish(?:es|ed)|answer(?:s|ed)|explain(?:s|"
    rf"ed)){_A} (?:better|best|more \w+))\b|"
    rf"{_IS}{_HOW}{_A} {_BETTER}\b(?! (?:in (?:some|part)|for some|about|only if|if|when)\b)|"
    r"\s(?:gewinnt|siegt|hat gewonnen|überzeugt(?: mehr)?|ist (?:der |die )?(?:gewinner|sieger|besser|beste|"
    r"überzeugender|stärker)|"
    r"gagne|a gagné|l'emporte|remporte|est (?:le |la )?(?:meilleure?|gagnante?|vainqueur|plus (?!faible)\w+)|"
    r"gana\b|ganó|ha ganado|vence\b|venceu|ganha|ganhou|vince\b|ha vinto|"
    r"(?:es|fue|é|foi|è) (?:el |la |o |a |il )?(?:mejor|melhor|migliore|ganador[ao]?|vencedor[ao]?|vincitore|"
    r"(?:más|mais|più) (?!d[ée]bil|fraco|fraca|debole)\w+))|"
    r"(?:的[^,.;\s]{1,6})?(?:更|最|比较)(?!差|弱)|获胜|獲勝|胜出|勝出|[赢贏]|(?:胜|勝)(?!負|负)|占优|"
    r"(?:の(?:主張|議論|回答|方|ほう|論証))?[がはの]\s?(?:より|もっと|最も)?(?:説得力|優れ|良い|勝|強い|正し|上)|"
    r"(?:의 (?:주장|논증|답변|논거))?[이가은는의]?\s?(?:(?:더|가장)\s?(?!약)|이겼|이긴|승리|승))",
    re.IGNORECASE,
)
_LOSES = re.compile(
    rf"[)\]*_`\"']{{0,4}}{_OWNS}{_HOW}(?:\s?[:–-]\s(?:lose[sr]?|lost|wrong|incorrect)(?=\W*(?:$|\n))|"
    rf"\s?[:–-]?\s?(?:❌|✗|✘)|\s(?:loses?\b|lost\b|was (?:defeated|beaten|outargued|outperformed)|"
    rf"did (?:worse|poorly)|fail(?:s|ed)\b|(?:makes?|made|presents?|presented|gives?|gave|has|had){_A} {_WORSE}|"
    rf"(?:to be )?{_WORSE})\b|{_IS}{_HOW}{_A} {_WORSE}\b|"
    r"\s(?:verliert|hat verloren|ist (?:schwächer|schlechter)|perd\b|a perdu|est (?:moins \w+|plus faible)|"
    r"pierde|perdió|perde\b|perdeu|"
    r"ha perso|(?:es|é|è) (?:peor|pior|peggiore|(?:más débil|mais frac[oa]|più debole)))|(?:的\w{1,6})?(?:更[差弱]|"
    r"输|輸|落败|败)|"
    r"[がは]\s?(?:負け|弱い|劣)|[이가은는]\s?(?:졌|더 약))",
    re.IGNORECASE,
)
_DENIED = re.compile(
    rf"[)\]*_`\"']{{0,4}}{_OWNS}(?:\s\w+)?\s?(?:(?:is|are|was|were|does|do|did|has|have|had|would|could|can|"
    rf"will)(?:n't| not)|cannot|never|"
    r"ist nicht|n'est pas|no (?:es|gana)|não|non)\b",
    re.IGNORECASE,
)
_OPENS = r"(?:\s(?:to|for|is|the|side of|on))*[\s:]*[\s(\[*_`\"'$]*$"
_FAVOURS = re.compile(
    r"(?:\b(?:in favou?r of|favou?r(?:s|ed|ing)?|prefer(?:s|red)?|preference|edge|advantage|nod|point|win|"
    r"victory|award(?:s|ed)?(?: \w+){0,3} to|"
    r"g[ia]ves?(?: \w+){0,3} to|giv(?:en|ing)(?: \w+){0,3} to|g[ia]ve|goes to|declare[sd]?|pronounce|crown|"
    r"lean(?:s|ing)?(?: to(?:wards?)?)?|"
    r"support(?:s|ed)?|(?:won|convinced|persuaded|swayed|defeated|beaten|outargued|outperformed|"
    r"impressed) (?:more )?by|"
    r"agree(?:ing)? (?:more |most |mostly |fully |largely )?with|side(?:s|d)? with|vot(?:e|ed|ing)(?: for)?|"
    r"points? to(?:wards?)?|"
    r"(?:better|stronger|best|strongest|winning|(?:more|most) \w+)[^.;\n]{1,40}? (?:came|comes|is|was)(?: made|"
    r" won)?(?: from| by)?|"
    r"belongs to|congratulations to|rules? for|call it(?: for)?|(?:that|this) (?:would|must|has to) be|"
    r"gana|gan[oó]|gagne|gewinnt|siegt|vence|vince|"
    r"(?:winner|better(?: \w+)?|best(?: \w+)?|victor)(?: of [^.:\n]{1,40}?| here| overall| this round)?"
    r"(?: is| was| must be| has to be| would be|:|\s?\.\.\.|\s?…|,| -))"
    rf"{_OPENS}|(?:选|選|投票?给|支持|判)[\s(*]*$)",
    re.IGNORECASE,
)
_CONDITION = re.compile(
    r"^[\s*_#>-]*(?:if|when|unless|suppose|assuming|had|whether|wenn|falls|si|se|如果)\b"
    r"(?! (?:I|forced|pressed|pushed|asked)\b)",
    re.IGNORECASE,
)
_TIE = re.compile(
    r"\b(?:a |an |the |is |it |it's |as )?(?:ties?|tied|draw|drawn|dead heat|stalemate|equal(?:ly)?|"
    r"even(?:ly)?(?: matched)?|"
    r"no (?:clear |single |real )?winners?|neither(?: \w+)?(?: side)?(?: really)? (?:is (?:clearly )?(?:better|"
    r"stronger|the winner)|wins?|won|prevails?)|"
    r"unentschieden|égalité|match nul|ex[- ]?æquo|empate|empatados?|pareggio|parit[àa])\b|平局|平手|打平|不分(?:胜负|上下)|"
    r"引き分け|互角|무승부|비김|동점",
    re.IGNORECASE,
)
_NO_TIE = re.compile(
    r"(?:\bnot|n't|\bno|\bnever|\brather than|\binstead of|\bhardly|\bkein|\bnicht|不是|没有)(?: \w+){0,3}\s*$|"
    r"\bor(?: an?)?\s*$|(?-i:\b[A-Z])[\"')]*,\s*$",
    re.IGNORECASE,
)
_TIE_SUBJECT = re.compile(
    r"\b(?:it|this|that|debate|result|outcome|round|call|declare|verdict|both|they|sides|debaters|and|judge|"
    r"rule|ends?|ended|there|"
    r"es|est|ist|é|è|un|ein|une?|the)\b",
    re.IGNORECASE,
)
_RANK = re.compile(r"^[ \t*_#>|-]*(?P<rank>\d)[.):][ \t*_]*$")
_SIGNS = {
    ">": True,
    ">>": True,
    "<": False,
    "<<": False,
    "=": None,
    "==": None,
    "≈": None,
    "～": None,
    "~": None,
    "≻": True,
}
_COMPARED = re.compile(r"[)\]*_`\"']*\s?(?P<sign>>{1,2}|<{1,2}|={1,2}|≈|~|≻)\s?[(\[*_`\"']*")


def decide(text: str, contestants: Contestants) -> tuple[str | None, str]:
    """Who wins by the judge's sentences, and why this was read: ``"phrase"``, or ``"none"`` without a winner."""
    mentions = contestants.mentions(text)
    ranked = _ranked(text, mentions)
    if ranked is not None:
        return ranked, "phrase"
    bounds = [0, *(match.end() for match in _BOUND.finditer(text)), len(text)]
    decisions: list[tuple[int, str]] = [(place, "tie") for place in _ties(text)]
    at = len(bounds) - 2
    for mention in reversed(mentions[-_MOST_MENTIONS:]):
        while at and bounds[at] > mention.begin:
            at -= 1
        side = _said(text, bounds[at], mention, bounds[at + 1], contestants)
        if side is not None:
            decisions.append((mention.begin, side))
            break
    if not decisions:
        return None, "none"
    place, winner = max(decisions)
    if (
        winner == "tie" and len(decisions) > 1
    ):  # "it was close to a tie, but B wins" decides, whichever comes last in it
        other = next(((start, side) for start, side in decisions if side != "tie"), None)
        if other is not None and not _BOUND.search(text, other[0], place):
            return other[1], "phrase"
    return winner, "phrase"


def _said(text: str, low: int, mention: Mention, high: int, contestants: Contestants) -> str | None:
    """The side that wins by what the sentence from `low` to `high` says of this one."""
    begin, end, side, sure = mention
    sentence = text[low:high]
    if text[high - 1 : high] == "?" or _CONDITION.match(sentence):
        return None
    if _DENIED.match(text, end, high):
        return None
    if _LOSES.match(text, end, min(high, end + 160)):
        return contestants.other(side)
    if _WINS.match(text, end, min(high, end + 160)):
        rejected = stance(text, low, begin, end, end) == "rejected" or is_former(text[max(low, begin - 90) : begin])
        return None if rejected else side
    if not sure:
        return None
    said = stance(text, low, begin, end, high)
    if said in ("rejected", "former", "maybe") or is_former(text[max(low, begin - 90) : begin]):
        return None
    if said == "chosen" or _FAVOURS.search(text, max(low, begin - 100), begin):
        return side
    last = not text[end:].strip(" \n.!*_\"'`)]}")
    return side if last and closes(text, begin) else None


def opening_side(stretch: str, contestants: Contestants) -> str | None:
    """The side that a short stretch opens with, such as what follows "Verdict:"; ``"tie"``, ``"hedge"``, or None."""
    whole = contestants.named(stretch)
    if whole is not None:
        return whole
    ties = list(_TIE.finditer(stretch[:160]))
    mentions = contestants.mentions(stretch)
    first = mentions[0] if mentions else None
    if ties and "tie" not in map(str.lower, contestants.sides) and not _NO_TIE.search(stretch[: ties[0].start()]):
        others = {mention.side for mention in mentions if mention.begin < ties[0].end()}
        if first is None or ties[0].start() < first.begin or len(others) != 1 or not _decides(stretch, contestants):
            return "tie"
    if re.match(r"[\W_]*(?:both|neither)\b", stretch, re.IGNORECASE):
        return "tie"
    if first is None:
        return None
    if not re.fullmatch(_LEAD_IN, stretch[: first.begin], re.IGNORECASE):
        return None
    if _LOSES.match(stretch, first.end) or _DENIED.match(stretch, first.end):
        return decide(stretch, contestants)[0]
    return _after_sign(stretch, mentions) or _revised(stretch, mentions)


_LEAD_IN = (
    r"[\W_]*(?:(?:that|the|is|to|for|goes|of|my|vote|winner|it's|it|i|choose|pick|say|think|believe|in|favou?r|"
    r"definitely|clearly|"
    r"not [^,.;]{1,24}(?:but|,|rather)|would be|must be|son|ist|es|est|é|è|la|le|el|der|die|il|o|a|on|balance|"
    r"overall|still|"
    r"by|narrow|margin|slight|edge|preference|answer|option)[\W_]+)*"
)


def _decides(stretch: str, contestants: Contestants) -> bool:
    return decide(stretch, contestants)[0] not in (None, "tie")


def _after_sign(text: str, mentions: list[Mention]) -> str | None:
    """The better side of a comparison such as ``A > B``."""
    for left, right in pairwise(mentions):
        sign = _COMPARED.fullmatch(text, left.end, right.begin)
        if sign is not None and left.side != right.side:
            better = _SIGNS[sign["sign"]]
            return "tie" if better is None else left.side if better else right.side
    return None


def _revised(text: str, mentions: list[Mention]) -> str:
    """The first side, or the one that is put in its place; ``"hedge"`` where two are offered."""
    first = mentions[0]
    if len(mentions) > 1:
        second = mentions[1]
        between = text[first.end : second.begin]
        if second.side != first.side and REVISE.fullmatch(between):
            return second.side
        if second.side != first.side and re.fullmatch(
            r"[)\]*_`\"'\s]*(?:or|and|/|\||,|&|oder|und|ou|et|o|y|e|或|和|または|と)[\s(\[*_`\"']*",
            between,
            re.IGNORECASE,
        ):
            return "hedge"
    return first.side


def _ranked(text: str, mentions: list[Mention]) -> str | None:
    """The first of a ranking: ``C > A > B``, or a numbered list of nothing but sides."""
    if not 2 <= len(mentions) <= 2 * _MOST_MENTIONS:
        return None
    places = {}
    for mention in mentions:
        line = text.rfind("\n", 0, mention.begin) + 1
        end = text.find("\n", mention.end)
        rank = _RANK.match(text[line : mention.begin])
        if rank is not None and not text[mention.end : end if end >= 0 else len(text)].strip(" *_.)"):
            places.setdefault(rank["rank"], mention.side)
    if len(places) > 1 and "1" in places:
        return places["1"]
    return _after_sign(text, mentions) if len(text) < 200 else None


def _ties(text: str) -> list[int]:
    """Where the judge calls the debate a tie."""
    found = []
    for match in list(_TIE.finditer(text))[-_MOST_MENTIONS:]:
        low = max(text.rfind(mark, 0, match.start()) for mark in ".!?;\n") + 1
        before = text[max(low, match.start() - 120) : match.start()]
        alone = not before.strip(" *_#>\"'`(") and not text[match.end() :].strip(" .!*_\"'`)。").lower().strip(
            "です입니다"
        )
        ends = re.match(
            r"[\W_]*(?:between\b.*|(?:good|strong|convincing|persuasive|valid|compelling|right|matched|です|"
            r"입니다)?[\W_]*)$",
            text[match.end() : match.end() + 80].split("\n")[0],
            re.IGNORECASE,
        )
        if text[match.end() :][:1] == "?" or _NO_TIE.search(before) or _CONDITION.match(before):
            continue
        if (
            alone
            or match[0].lower().startswith(("no ", "neither"))
            or (ends and (not before.strip() or _TIE_SUBJECT.search(before + " " + match[0])))
        ) or (not match[0].isascii() and not before.strip(" *_").isascii()):
            found.append(match.start())
    return found
