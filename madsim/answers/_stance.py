"""What a sentence says of an option that it names: that the speaker chooses it, rejects it, held it before, or wavers.

The words before and after the option decide; each group of words is one pattern over all languages.
"""

from __future__ import annotations

import re

_AROUND = 90

# between the words that choose and the option: "the correct option (", "la opción ", "l'option ", "die Antwort "
_KIND = (
    r"(?:option|choice|answer|letter|statement|alternative|candidate|response|number|position|hypothesis|"
    r"(?:answer|option) choice|opci[oó]n|alternativa|respuesta|letra|op[cç][aã]o|resposta|opzione|risposta|lettera|"
    r"ending|completion|continuation|hypothesis|theory|lettre|r[eé]ponse|proposition|antwort(?:m[oö]glichkeit)?|"
    r"m[oö]glichkeit|buchstaben?|variante)"
)
_ARTICLE = r"(?:the|an?|my|our|la|le|el|los?|il|l'|die|der|das|den|o|as?|que|that)"
_RIGHT = (
    r"(?:final|correct|right|best|only|original|initial|first|same|most \w+|correcta|correta|correcte|correto|corretta|"
    r"richtige[nr]?|bonne|buena)"
)
_FILL = rf"(?:{_ARTICLE}\s?)?(?:{_RIGHT}\s){{0,2}}(?:{_KIND}\s?)?"
_DRESS = r"[\s(\[*_`\"'$\\{<:]*"
_OPENS = rf"(?:\s|:\s?|\s?[-–—]\s)\s?{_FILL}{_DRESS}$"
_OPENS_CJK = r"\s?(?:选项|選項|答案|選択肢|选择)?(?:是|为|為)?[\s(\[*_`\"':：]*$"

_BETWEEN = (
    r"(?:'ll|'d|'m|'ve| will| would| have| am| had| do| must| can| have to| want to)?"
    r"(?: (?:now|still|also|initially|originally|previously|therefore|thus|hence|then|finally|ultimately|"
    r"definitely|strongly|firmly|personally|"
    r"hereby|confidently|clearly|again|simply|just|rather|instead|actually|really|fully|completely|respectfully|"
    r"going to|inclined to|forced to|to|be|been|quite|very|fairly|pretty|more|absolutely|first|so)){0,3} "
)
_VERB = (
    r"(?:choos(?:e|ing)|chose|chosen|pick(?:ed|ing)?|select(?:ed|ing)?|(?:go|going|went|gone) (?:with|for)|"
    r"opt(?:ed|ing)? for|vot(?:e|ed|ing)(?: for| in favou?r of)?|"
    r"(?:stick|sticking|stuck|stay|staying|stand|standing|remain|remaining|side|siding|agree|agreeing|concur|align)"
    r" (?:with|by|to|at|on)|settl(?:e|ed|ing) (?:on|for|with)|lean(?:ing|ed)? (?:to|towards?)|favou?r(?:ing)?|prefer|"
    r"maintain(?:ing)?|keep(?:ing)?|insist on|conclud(?:e|ing)|support(?:ing)?|endors(?:e|ing)|back|confirm|submit|"
    r"answer|respond with|reply with|reaffirm|reiterate|restate|retain|affirm|re-?confirm|nominate|champion|say|"
    r"propose|recommend|decid(?:e|ed) (?:on|for)|accept|defend|adopt|hold|judge|"
    r"believe(?: in)?|think|guess|find|feel|reckon|suspect|(?:switch|chang|mov|updat|revis|correct|adjust)(?:e|ed|ing)?"
    r"(?: (?:it|this|over|back))?(?: from [^.\n]{1,24}?)?(?: over)? to|"
    r"(?:confident|sure|certain|convinced|positive)(?: in| of| about)?)"
)
_SUBJECT = r"(?:it|this|(?:the|my) (?:\w+ ){0,2}(?:answer|option|choice|one|solution|response))"
_COPULA = r"(?:'s| is| must be| should be| has to be| would be| will be| remains)(?: \w+ly| still| now| indeed)?"
_OBJECTS = (
    r"(?: (?:(?:\w+ly|must|have to|beg to) )?(?:dissent|disagree|differ|object|reviewed|re-?checked|reconsidered|"
    r"thought about it|"
    r"hesitated?)[^.;!?\n]{0,40}?,? (?:and|but|so)(?: I)?)?"
)
_FIRST_PERSON = rf"\bI{_OBJECTS}{_BETWEEN}{_VERB}(?: that)?(?: {_SUBJECT}{_COPULA})?"
_REVISES = (
    r"(?:chang|switch|updat|revis|correct|adjust|amend|modif|alter|mov|shift|keep|maintain|stand by|stick (?:with|to)|"
    r"hold to|confirm|reaffirm|reiterat|retain)(?:e[ds]?|y|ied|ing|ed|s)?"
)
_MY_ANSWER = (
    rf"\b{_REVISES} (?:my|the) (?:\w+ ){{0,3}}?(?:answer|choice|vote|position|response|opinion|selection|mind)"
    r"(?: from [^.\n]{1,24}?)?(?: (?:of|to|as|is)|:|,)?"
)
_NOUN = (
    r"(?:\b(?:my|our|the|final|best)(?: \w+){0,3}? (?:vote|pick|guess|choice|selection|conclusion|decision|stance|"
    r"preference|bet|verdict|answer|response|view|judge?ment|position)(?: is| goes to| is for| remains|'s|"
    r" would be| stays| stands at| is unchanged| (?:remains|stays) (?:unchanged|the same)|"
    r" (?:(?:does|did|do|has|have|will|would|is) not|(?:does|did|do|has|have|wo|would|is)n't) chang(?:ed?|ing))"
    r"(?: still| now| therefore| thus)?)"
)
_IT_IS = (
    r"(?:^\s*|[,;:.!?]\s|\b(?:so|thus|therefore|hence|then|and|but|that|now|still|because|means|"
    r"elimination)\s)(?:it|this|that)"
    r"(?:'s| is| must be| has to be| should be)(?: (?:now|still|clearly|definitely|most likely|probably|"
    r"actually|really|indeed))?"
)
_LEAVES = (
    r"\b(?:leav(?:es|ing)|left with|narrows? (?:it )?down to|points? to|leads? (?:me |us )?to|corresponds? to|"
    r"corresponding to|(?:i\.e\.,?|that is,|namely,?|which is|matches|matching|confirms?|this is|that is|"
    r"that's)(?= (?:option|choice|answer|letter)\b)|"
    r"making it|money (?:is )?on|down for|(?:this|that|which|it|everything) (?:gives|yields|implies|indicates|"
    r"suggests)|I (?:now )?have now?)(?: us| me)?"
    r"(?: (?:with|only|just|as))*"
)
_ABROAD = (
    r"(?:\b(?:(?:also|somit|daher|damit|folglich|deshalb) ist|reste (?:sur|avec)|resto (?:su|con)|fico na|"
    r"sigo con|continuo con|"
    r"w[äa]hle|nehme|entscheide mich f[üu]r|stimme f[üu]r|bleibe bei|w[üu]rde sagen|tippe auf|"
    r"choisis|retiens|s[ée]lectionne|vote pour|opte pour|maintiens|garde|penche pour|"
    r"elijo|escojo|selecciono|voto por|voto (?:a|en|em|per|pela?)|me quedo con|opto por|mantengo|me decanto por|"
    r"escolho|seleciono|fico com|opto pela?|mantenho|marco|"
    r"scelgo|seleziono|voto|opto per|confermo|confirmo|confirme|mi attengo a|rimango (?:su|con)|"
    r"выбираю|"
    r"(?:denke|glaube|meine),? (?:dass )?(?:es ist|es sei)|es ist|richtig(?: ist|e antwort ist)|"
    r"(?:pense|crois|dirais) que c'est|c'est|creo que es|pienso que es|acho que é|creio que é|acredito que é|"
    r"(?:penso|credo) che sia|sia|quedarme con)|"
    r"\b(?:[äa]ndere|wechsle|change|cambio|mudo|altero|modifico|korrigiere|passe)(?: \w+){0,3}?(?: (?:von|de|"
    r"da) [^.\n]{1,12}?)??"
    r" (?:zu|auf|in|pour|[àaá]|para|en|em|por)|\b(?:correct[ao]|correcte|richtige|bonne|giusta|corretta|esatta|"
    rf"certa)(?: {_KIND})? (?:es|est|ist|è|é)|(?:opci[oó]n|alternativa|op[cç][aã]o|opzione|option|respuesta|"
    rf"resposta|risposta|r[ée]ponse) "
    r"(?:correct[ao]|correcte|correta|corretta|certa|giusta|juste|bonne) (?:es|est|è|é))"
)
_CJK_BEFORE = (
    r"(?:(?<!不)(?<!没)(?<!要)[选選](?:择|擇)?了?|改[为为為]|改成|投票?给|同意|坚持|堅持|支持|认为(?:是|应该是)?|"
    r"認為是?|而是|"
    r"本题|正确(?:的|答案|选项)?是|正確(?:的|答案|選項)?是|对的是|對的是|正しいのは|"
    r"不是[^。.;,]{1,8}[,，]?\s?而?是|(?:ではなく|じゃなく)て?[、,]?|[가이]\s?아니라|应为|應為|结论是|選択は|"
    r"結論は|私は|저는|나는)"
)
_NOT_BUT = (
    r"(?:\bnot (?!only\b)[^.;!?\n]{1,24}?,? (?:but|rather)|\b(?:nicht|keine?)\b[^.;!?\n]{1,24}?,? sondern|"
    r"\bpas\b[^.;!?\n]{1,24}?,? mais|\bno\b[^.;!?\n]{1,24}?,? sino|\bn[ãa]o\b[^.;!?\n]{1,24}?,? (?:mas(?: sim)?|"
    r"e sim|sim)|"
    r"\bnon\b[^.;!?\n]{1,24}?,? (?:ma|bens[iì]))"
)
_FALSE_ONE = (
    r"(?:\bthe (?:false|incorrect|untrue|wrong|odd|exceptional|least \w+)(?: \w+)?,? which is|"
    r"\bthe (?:(?:odd one out|exception|outlier|one (?:that|which) (?:is not|isn't|does not|"
    r"doesn't) [^.;,!?\n]{1,30}?) is)|"
    r"\bwhich is(?= \(?$))"
)
_CHOSEN_BEFORE = re.compile(
    rf"(?:(?:{_NOT_BUT}|{_FALSE_ONE}|{_FIRST_PERSON}|{_MY_ANSWER}|{_NOUN}|{_IT_IS}|"
    rf"{_LEAVES}|"
    rf"{_ABROAD}){_OPENS}|{_CJK_BEFORE}{_OPENS_CJK})",
    re.IGNORECASE,
)

_QUALITY = (
    r"(?:correct|right|true|best|accurate|appropriate|answer|choice|option|pick|suitable|fitting|likely|fit|"
    r"valid|closest|"
    r"plausible|direct|reasonable|logical|consistent|precise|relevant|convincing|one|match|solution|possibility|"
    r"winner|better|stronger|strongest|superior|preferable|preferred|sound|compelling|persuasive)"
)
_CHAIN = (
    r"(?:[\s)\]*_]*+(?:,\s*+(?:and\b|or\b)?+|and\b|or\b|&|/|und\b|oder\b|et\b|ou\b|y\b|e\b|o\b|和|"
    r"、)\s?[(\[*_]*+(?:option )?+"
    r"(?-i:[A-Z](?![A-Za-z])))*+"
)
_AFTER_DRESS = r"[\s)\]*_`\"'$}.]{0,6}"
_CHOSEN_AFTER = re.compile(
    rf"{_CHAIN}{_AFTER_DRESS}(?:[-–:,]?\s?\([^()\n]{{1,60}}\))?\s?(?:"
    r"(?:is|are|seems|looks|appears|remains|feels|must be|would be|should be|has to be|sounds|stands out as)(?: to be)?"
    r"(?:,(?! (?:if|but|except|unless|or)\b)[^.,;!?\n]{1,30},)?"
    r"(?! also (?:plausible|possible|reasonable|valid|likely|close|good|tempting))"
    r"(?: (?:(?!(?:partial|part|near|bare|hard|mere|mistaken|wrong)ly\b)\w+ly|therefore|thus|also|indeed|"
    r"clearly|definitely|probably|likely|still|obviously|certainly|then|in fact|"
    r"actually|by far|now|really|hence|surely|perfectly|absolutely|most))*"
    rf"(?: (?:the|my|our|an?))?(?: (?:final|most|best|more|only|single|remaining|correct|right|clear|overall|one|"
    rf"possible|viable|much|valid|likely|logical|chosen|sole|true|intended))*"
    rf" {_QUALITY}\b(?! (?:in (?:some|part)|for some|about|only if|only when|if|when|but|except|yet)\b)|"
    r"(?:is|stays|remains) (?:left|standing|my (?:\w+ )?(?:answer|choice|pick|vote))|"
    r"is (?:much |far |slightly |somewhat |even |a (?:bit|little) )?(?:closer|nearer|clearer)\b|"
    r"(?:is|was|gets|has been) (?:therefore |thus |then |finally )?(?:chosen|selected|picked|"
    r"preferred)\b(?! (?:by|over)\b)|"
    r"(?:seems|appears|looks)(?: to be)? the way to go|"
    r",? (?:and|so|which) I (?:(?:also|would|must|have to|\w+ly) )?(?:agree|concur|second (?:this|that|it)|"
    r"support (?:this|that|it)|"
    r"accept (?:this|that|it)|share)\b(?! with (?!(?:them|that|this|it|him|her|both|all)\b))|"
    r"remains\b(?=\W*$)|makes (?:the most |more |perfect |most )?sense|(?:best )?fits(?: best| better| perfectly)?\b|"
    r"best (?:describes|fits|explains|matches|captures|answers|suits|represents|reflects|summari[sz]es)|"
    r"works\b(?! (?:for|as) )|"
    r"holds\b(?! (?:only|if|for|when))|satisfies (?:all|both|every|each|the)\b|is what (?:I|we) |is the least wrong|"
    r"matches\b(?! (?:with|only|in)\b)|it is\b(?=\W*$)|for sure\b|gets my vote|has my vote|is what I|is the way to go|"
    r"ist (?:(?:die|das|der|eindeutig|damit|somit|also|wohl|am) )*(?:richtig|korrekt|beste|zutreffend|wahr|"
    r"besser|gewinner)|"
    r"stimmt\b|trifft zu|(?:die )?(?:richtig|korrekt|zutreffend|die richtige \w+|am besten) ist|"
    r"est (?:(?:la|le|l'|donc|bien|clairement) ?)*(?:bonne|bon|correcte?|juste|exacte?|vraie?|meilleure?|r[ée]ponse)|"
    r"(?:es|est[áa]|é|è|sia|sea) (?:(?:la|el|a|o|il|por tanto|portanto|claramente|quindi) )*"
    r"(?:(?:mi|minha|mia) )?(?:respuesta|opci[óo]n|alternativa|resposta|opç[ãa]o|risposta|opzione|correct[ao]|"
    r"correta|correto|corretta|"
    r"corretto|verdader[ao]|cert[ao]|giust[ao]|esatt[ao]|mejor|melhor|migliore|vera?)|"
    r"(?:选项|選項|项)?(?:是|为|為)?(?:最)?(?:正确|正確|对的|對的|正解|合适|合適|合理|符合|更好|更有说服力)|"
    r"[がは](?:最も)?(?:正し|正解|適切|妥当|答え)|を(?:選|支持)|に(?:投票|し)|だと(?:思|考)|です|"
    r"번?[이가](?:\s)?(?:정답|맞|옳|올바)|[을를]\s?(?:선택|고르|골랐|지지)|입니다|(?:이)?라고 생각"
    r")",
    re.IGNORECASE,
)
_REJECTED_BEFORE = re.compile(
    r"(?:\b(?:not|never|neither|nor|reject(?:ed|ing|s)?|rul(?:e|ed|ing|es) out|eliminat(?:e|ed|ing|es)|"
    r"exclud(?:e|ed|ing|es)|discard(?:ed|ing|s)?|"
    r"dismiss(?:ed|ing|es)?|rather than|instead of|unlike|except|but for|over|against|disagree with|anything but|"
    r"doubt|wrong(?:ly)?|incorrect(?:ly)?|mistaken(?:ly)?|than|isn't|wasn't|nicht|kein|pas|ni|no es|não é|non è|"
    r"statt|plut[ôo]t que|"
    r"в[мм]есто)|n't(?: \w+)?|不是|不选|不選|并非|而非|排除)"
    rf"(?: (?:be|choose|pick|select|for|with|think|believe|that|it is|it's|to|say|agree with))*(?:\s|"
    rf":\s?){_FILL}{_DRESS}$|"
    rf"(?:不是|不选|不選|并非|而非|排除){_OPENS_CJK}",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(
    r"\b(?:all|every\w*|each|none|nothing|no \w+|the (?:others|rest))(?: \w+){0,4} (?:except|but|other than|"
    r"besides|apart from)"
    rf"(?: for)?\s{_FILL}{_DRESS}$",
    re.IGNORECASE,
)
_BARE_ALL_BUT = re.compile(
    r"[\s*_]*(?:all|every\w*|each)(?: of (?:them|these|those|the \w+)| options?| answers?| choices?)?"
    rf" (?:except|but|other than|besides|apart from)(?: for)?\s{_FILL}{_DRESS}$",
    re.IGNORECASE,
)
_ASKED = re.compile(  # "A? No. B? Yes.", "A (no), B (yes)"
    r"[)\]*_]{0,3}(?:\?\s*|\s?\()(?:(?P<yes>yes|correct|right|true|✓|✅|✔)|(?:no|wrong|false|incorrect|✗|❌|"
    r"✘))(?![a-z])(?=[.,;!)\s]|$)(?! (?:idea|one))",
    re.IGNORECASE,
)
_NOT_LIST = re.compile(r"\b(?:not|neither|nor)\s(?:[(*_]*[A-Z][)*_]*,?\s)+(?P<joined>(?:and|or|nor)\s)?[(*_]*$")
_JOINED = re.compile(r"[)\]*_]*,?\s(?:and|or|nor)\b")
_REJECTED_AFTER = re.compile(
    rf"{_CHAIN}"
    r"[\s)\]*_\"'.:]*(?:\([^()\n]{0,60}\)\s?)?(?:(?:is|are|was|seems|would be|can be|looks|appears|ist|est|es|é|è)"
    r"(?: (?:also|clearly|definitely|therefore|simply|just|obviously|probably|partially|partly|likely|the|an?|too|"
    r"either|completely|factually|to be|eindeutig|donc))*"
    r"(?: not\b(?! (?:only|wrong|incorrect|false|bad))|n't\b| (?:wrong|incorrect|false|invalid|ruled out|"
    r"eliminated|excluded|rejected|out\b|weaker|worse|"
    r"distractor|trap|impossible|falsch|faux|incorrecta?|incorreta|errada|sbagliat[ao]|falsa?|implausible|"
    r"unlikely|irrelevant))|"
    r"(?:isn't|aren't|wasn't|fails|cannot|can't|doesn't|does not|don't|do not|loses|lost|won't|would not|wouldn't|never)\b|"
    r"ist nicht|n'est pas|no es|não é|non è|falsch\b|nicht richtig|als (?:zweit|rück)\w+|"
    r"as (?:the |my |a )?(?:close )?(?:runner-up|second (?:choice|best|option)|second\b(?!ary)|backup|fallback|"
    r"alternative)|"
    r"ではなく|じゃなく|[가이]\s?아니|不对|不正确|不正確|错|錯|不是|は(?:間違|誤)|[は은는]\s?(?:틀|아니))",
    re.IGNORECASE,
)
_FORMER = re.compile(
    r"\b(?:initially|originally|at first|first|earlier|previously|used to|formerly|once|"
    r"initial(?:ly)? \w+|zuerst|am anfang|d'abord|au d[ée]but|primero|al principio|antes|"
    r"inizialmente|prima|最初|原来|之前|起初)\b[^.;!?\n]*$|(?:最初|原来|之前|起初|从)[^。.;!?\n]*$",
    re.IGNORECASE,
)
_NOW = re.compile(
    r"\b(?:now|but|however|then|instead|so|therefore|to|changed|switch\w*|after|jetzt|aber|maintenant|mais|"
    r"ahora|pero|agora|mas|adesso|ma)\b"
    r"|现在|但|改",
    re.IGNORECASE,
)
_MAYBE = re.compile(
    r"\b(?:(?:could|might|may|can)(?: \w+)? be|maybe|perhaps|possibly|either|between|könnte|pourrait|podría|"
    r"poderia|potrebbe|"
    r"peut-[êe]tre|vielleicht|quiz[áa]s?|talvez|forse)"
    rf"\s{_FILL}{_DRESS}$|(?:可能|也许)是?{_OPENS_CJK}",
    re.IGNORECASE,
)


_CONDITION = re.compile(
    r"(?:^|[,;:]\s|\b(?:but|and|even)\s)[\s*_#>(-]*(?:if|suppose|supposing|assum(?:e|ing)|unless|whether|had|"
    r"were|wenn|falls|angenommen|si|supposons|"
    r"supongamos|suponha|se|supponiamo|如果|假设|假如|もし|만약)\b[^,;:]*$|(?:如果|假设|假如|もし|만약)[^,;:]*$|"
    r"\bas \w+ as\s[\s(*_]*$",
    re.IGNORECASE,
)
_TAKEN_BACK = re.compile(
    r"[^.!?;\n]{0,60}?\b(?:but|yet|though|although|however),?\s(?:it|that|this|actually|really|in fact|then|\s)*"
    r"(?:(?:is|was|'s|does|do)\s?(?:not|n't|wrong|incorrect|false)|isn't|wasn't|doesn't|fails|cannot|can't|"
    r"wrong|incorrect|false|not (?:correct|right|true))\b",
    re.IGNORECASE,
)
_THING = re.compile(
    r"\b(?:angles?|points?|lines?|sets?|vitamins?|hepatitis|plans?|types?|class(?:es)?|groups?|figures?|"
    r"triangles?|matri(?:x|ces)|sides?|vert(?:ex|ices)|"
    r"events?|agents?|debaters?|cases?|box(?:es)?|bags?|teams?|persons?|players?|towns?|cit(?:y|ies)|cars?|bus|"
    r"trains?|machines?|sections?|parts?|"
    r"phases?|stages?|steps?|grades?|compan(?:y|ies)|factor(?:y|ies)|tank|pipe|vector|node|circle|list|table|"
    r"column|row|product|country|student|assistant)\s[\s(*\"'$]*$",
    re.IGNORECASE,
)
_ONLY = re.compile(rf"\bonly\s{_FILL}{_DRESS}$", re.IGNORECASE)
_DOES = re.compile(r"[)\]*_`\"'$]{0,4}(?:\s\([^()\n]{1,40}\))?\s(?:[a-z]+s|can|could|would|will|has|is|fit)\b")


def stance(text: str, low: int, begin: int, end: int, high: int) -> str:
    """What the sentence from `low` to `high` says of the option that stands from `begin` to `end`.

    Returns
    -------
    str
        ``"chosen"``, ``"rejected"``, ``"former"`` (chosen before and given up), ``"maybe"``, ``"open"`` (under a
        condition, or taken back), or ``"named"`` for a mention alone
    """
    before = text[max(low, begin - _AROUND) : begin]
    after_stop = min(high, end + _AROUND)
    if _ALL_BUT.search(before):  # "all but B" alone chooses the others
        return "named" if _BARE_ALL_BUT.match(before) and not text[end:high].strip(" .*_)\n") else "chosen"
    if _NO_REASON.search(before):
        return "chosen"
    if _REJECTED_AFTER.match(text, end, after_stop) or _REJECTED_BEFORE.search(before):
        return "rejected"
    asked = _ASKED.match(text, end, end + 24)
    if asked is not None:
        return "chosen" if asked["yes"] else "rejected"
    listed = _NOT_LIST.search(before)
    if listed is not None and (listed["joined"] or _JOINED.match(text, end, high)):
        return "rejected"
    if _CONDITION.search(before) or _TAKEN_BACK.match(text, end, min(high, end + 140)):
        return "open"
    after = _CHOSEN_AFTER.match(text, end, after_stop)
    if after is not None and _THING.search(before):
        return "open"
    chosen = after or _CHOSEN_BEFORE.search(before) or (_ONLY.search(before) and _DOES.match(text, end, after_stop))
    if _MAYBE.search(before):
        return "maybe"
    if chosen:
        return "former" if is_former(before) else "chosen"
    return "named"


_NO_REASON = re.compile(
    r"(?:\b(?:no|without)|n't \w+(?: any| a)?|\bnot \w+(?: any| a)?|\bhardly (?:any|a)) (?:(?:good|compelling|"
    r"convincing|strong|further|clear) )?"
    r"(?:reasons?|need|cause|grounds?|justification) (?:to|for) (?:abandon(?:ing)?|leav(?:e|ing)|drop(?:ping)?|"
    r"(?:chang|mov|switch|depart|deviat)(?:e|ing)?(?: away)?(?: my \w+)? from|doubt(?:ing)?|reject(?:ing)?|"
    r"reconsider(?:ing)?|"
    rf"giv(?:e|ing) up(?: on)?|revis(?:e|ing)|question(?:ing)?)\s{_FILL}{_DRESS}$",
    re.IGNORECASE,
)


def is_former(before: str) -> bool:
    """Whether the words before an option say that it was held at first, and nothing after them says "but now"."""
    former = _FORMER.search(before)
    return former is not None and not _NOW.search(before, former.start())
