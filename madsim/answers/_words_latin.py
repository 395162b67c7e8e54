"""The number words of English, German, French, Spanish, Portuguese and Italian."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property


@dataclass(frozen=True, kw_only=True)
class Language:
    """The number words of one language.

    Attributes
    ----------
    numbers : words that are added
    hundreds, dozens : words that multiply what stands before them by a hundred or a dozen
    scales : words that multiply all that stands before them, from a thousand on
    parts : words of a share, with its denominator
    ands, articles, points : words that join, that stand for one at the start, that mark the decimals
    compounds : whether numbers are written as one word
    tens_last : whether the tens follow the units, as in ``zweiundvierzig``
    by_scores : whether ten to nineteen follow sixty and eighty, as in ``quatre-vingt-dix``
    """

    numbers: dict[str, int]
    hundreds: frozenset[str]
    scales: dict[str, int]
    parts: dict[str, int]
    ands: frozenset[str]
    articles: frozenset[str]
    points: frozenset[str]
    dozens: frozenset[str] = field(default_factory=frozenset)
    compounds: bool = False
    tens_last: bool = False
    by_scores: bool = False

    @cached_property
    def words(self) -> frozenset[str]:
        """Every word."""
        return frozenset({*self.numbers, *self.hundreds, *self.dozens, *self.scales, *self.ands, *self.articles})

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The words that a compound is made of, the longest first."""
        found = {*self.numbers, *self.hundreds, *self.scales, *self.ands}
        return re.compile("|".join(sorted(found, key=len, reverse=True)))


def _counted(words: str, start: int = 0, step: int = 1) -> dict[str, int]:
    """Words with their values; spellings of one value are joined by a bar."""
    return {spelling: start + step * place for place, word in enumerate(words.split()) for spelling in word.split("|")}


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


ENGLISH = Language(
    numbers={
        **_counted(
            "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
            "seventeen eighteen nineteen"
        ),
        **_counted("twenty thirty forty|fourty fifty sixty seventy eighty ninety", 20, 10),
    },
    hundreds=_set("hundred"),
    dozens=_set("dozen"),
    scales={"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12},
    parts={
        **_counted(
            "half|halves third|thirds fourth|fourths|quarter|quarters fifth|fifths sixth|sixths seventh|sevenths "
            "eighth|eighths ninth|ninths tenth|tenths eleventh|elevenths twelfth|twelfths",
            2,
        ),
        "hundredth": 100,
        "hundredths": 100,
        "thousandth": 1000,
        "thousandths": 1000,
    },
    ands=_set("and"),
    articles=_set("a an"),
    points=_set("point"),
)
GERMAN = Language(
    numbers={
        **_counted(
            "null ein|eins|eine zwei|zwo drei vier fünf|fuenf sechs sieben acht neun zehn elf zwölf|zwoelf dreizehn "
            "vierzehn fünfzehn|fuenfzehn sechzehn siebzehn achtzehn neunzehn"
        ),
        **_counted("zwanzig dreißig|dreissig vierzig fünfzig|fuenfzig sechzig siebzig achtzig neunzig", 20, 10),
    },
    hundreds=_set("hundert"),
    dozens=_set("dutzend"),
    scales={
        "tausend": 10**3,
        "million": 10**6,
        "millionen": 10**6,
        "milliarde": 10**9,
        "milliarden": 10**9,
    },
    parts={
        **_counted("halb|halbe|hälfte drittel viertel fünftel sechstel siebtel achtel neuntel zehntel", 2),
        "hundertstel": 100,
    },
    ands=_set("und"),
    articles=_set("die das ein eine"),
    points=_set("komma"),
    compounds=True,
    tens_last=True,
)
FRENCH = Language(
    numbers={
        **_counted(
            "zéro|zero un|une deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze quinze seize"
        ),
        **_counted("vingt|vingts trente quarante cinquante soixante septante octante|huitante nonante", 20, 10),
        "quatrevingt": 80,
    },
    hundreds=_set("cent cents"),
    scales={"mille": 10**3, "million": 10**6, "millions": 10**6, "milliard": 10**9, "milliards": 10**9},
    parts=_counted("demi|demie|moitié tiers quart|quarts cinquième|cinquièmes sixième|sixièmes septième|septièmes", 2)
    | {"dixième": 10, "dixièmes": 10},
    ands=_set("et"),
    articles=_set("un une la"),
    points=_set("virgule"),
    by_scores=True,
)
SPANISH = Language(
    numbers={
        **_counted(
            "cero uno|un|una dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince "
            "dieciséis|dieciseis diecisiete dieciocho diecinueve veinte veintiuno|veintiún veintidós|veintidos "
            "veintitrés|veintitres veinticuatro veinticinco veintiséis|veintiseis veintisiete veintiocho veintinueve"
        ),
        **_counted("treinta cuarenta cincuenta sesenta setenta ochenta noventa", 30, 10),
        **_counted(
            "cien|ciento doscientos|doscientas trescientos|trescientas cuatrocientos|cuatrocientas quinientos|quinientas "
            "seiscientos|seiscientas setecientos|setecientas ochocientos|ochocientas novecientos|novecientas",
            100,
            100,
        ),
    },
    hundreds=frozenset(),
    dozens=_set("docena docenas"),
    scales={"mil": 10**3, "millón": 10**6, "millones": 10**6},
    parts=_counted(
        "medio|media|mitad tercio|tercios cuarto|cuartos quinto|quintos sexto|sextos séptimo octavo|octavos", 2
    )
    | {"décimo": 10, "décimos": 10},
    ands=_set("y"),
    articles=_set("un una la"),
    points=_set("coma punto"),
)
PORTUGUESE = Language(
    numbers={
        **_counted(
            "zero um|uma dois|duas três|tres quatro cinco seis sete oito nove dez onze doze treze catorze|quatorze "
            "quinze dezesseis|dezasseis dezessete|dezassete dezoito dezenove|dezanove"
        ),
        **_counted("vinte trinta quarenta cinquenta|cinqüenta sessenta setenta oitenta noventa", 20, 10),
        **_counted(
            "cem|cento duzentos|duzentas trezentos|trezentas quatrocentos|quatrocentas quinhentos|quinhentas "
            "seiscentos|seiscentas setecentos|setecentas oitocentos|oitocentas novecentos|novecentas",
            100,
            100,
        ),
    },
    hundreds=frozenset(),
    dozens=_set("dúzia dúzias"),
    scales={"mil": 10**3, "milhão": 10**6, "milhões": 10**6, "bilhão": 10**9, "bilhões": 10**9},
    parts=_counted("meio|meia|metade terço|terços quarto|quartos quinto|quintos sexto|sextos sétimo oitavo|oitavos", 2)
    | {"décimo": 10, "décimos": 10},
    ands=_set("e"),
    articles=_set("um uma a"),
    points=_set("vírgula ponto"),
)
ITALIAN = Language(
    numbers={
        **_counted(
            "zero un|uno|una due tre|tré quattro cinque sei sette otto nove dieci undici dodici tredici quattordici "
            "quindici sedici diciassette diciotto diciannove"
        ),
        **_counted(
            "venti|vent trenta|trent quaranta|quarant cinquanta|cinquant sessanta|sessant settanta|settant "
            "ottanta|ottant novanta|novant",
            20,
            10,
        ),
    },
    hundreds=_set("cento cent"),
    scales={
        "mille": 10**3,
        "mila": 10**3,
        "milione": 10**6,
        "milioni": 10**6,
        "miliardo": 10**9,
        "miliardi": 10**9,
    },
    parts=_counted("mezzo|mezza|metà terzo|terzi quarto|quarti quinto|quinti sesto|sesti settimo ottavo|ottavi", 2)
    | {"decimo": 10, "decimi": 10},
    ands=_set("e"),
    articles=_set("un una uno la"),
    points=_set("virgola"),
    compounds=True,
)
LANGUAGES = (ENGLISH, GERMAN, FRENCH, SPANISH, PORTUGUESE, ITALIAN)
