"""The names of units of measurement, with their exact sizes and dimensions.

A dimension is a product of powers of base dimensions. Kinds of their own are the temperatures of different scales, angles in
degrees and in radians, money of each currency, decibels: no exact factor joins them.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple

Dimension = tuple[tuple[str, int], ...]


class Unit(NamedTuple):
    """A unit: how it is written, its dimension, and its size in base units."""

    name: str
    dimension: Dimension
    factor: Fraction


SYMBOLS: dict[str, Unit] = {}
WORDS: dict[str, Unit] = {}
_PREFIXES = (
    ("", "", 0),
    ("k", "kilo", 3),
    ("M", "mega", 6),
    ("G", "giga", 9),
    ("T", "tera", 12),
    ("P", "peta", 15),
    ("h", "hecto", 2),
    ("da", "deca", 1),
    ("d", "deci", -1),
    ("c", "centi", -2),
    ("m", "milli", -3),
    ("µ", "micro", -6),
    ("n", "nano", -9),
    ("p", "pico", -12),
    ("f", "femto", -15),
)
_FOREIGN_PREFIXES = {
    "kilo": ("kilo", "kiló", "quilô", "quilo", "chilo"),
    "deci": ("deci", "dezi", "déci", "decí", "decì"),
    "centi": ("centi", "zenti", "centí"),
    "milli": ("milli", "mili", "milí", "millí"),
    "micro": ("micro", "mikro"),
}


def _dimension(written: str) -> Dimension:
    parts = [part.partition("^") for part in written.split()]
    return tuple(sorted((base, int(power or 1)) for base, _, power in parts))


def _add(name: str, dimension: str, factor: Fraction | int | str, symbols: str = "", words: str = "") -> None:
    unit = Unit(name, _dimension(dimension), Fraction(factor))
    for symbol in (name, *symbols.split()):
        SYMBOLS[symbol] = unit
    for word in words.split("|"):
        if word:
            WORDS[word] = unit


def _add_prefixed(
    symbol: str, dimension: str, factor: Fraction | int | str, words: str, prefixes: str, symbols: str = ""
) -> None:
    """A unit with the prefixes named by their symbols (``.`` for none), in English and as the neighbours write it."""
    for prefix, name, power in _PREFIXES:
        if (prefix or ".") not in prefixes.split():
            continue
        unit = Unit(prefix + symbol, _dimension(dimension), Fraction(factor) * Fraction(10) ** power)
        for written in (symbol, *symbols.split()):
            SYMBOLS[prefix + written] = unit
            if prefix == "µ" and written != "s":  # as typed without Greek letters; "us" is a word
                SYMBOLS.setdefault("u" + written, unit)
        for word in words.split("|"):
            for spelling in _FOREIGN_PREFIXES.get(name, (name,)):
                WORDS.setdefault(spelling + word, unit)


_METRIC = ". k h da d c m µ n p"
_SI = ". k M G T m µ n p"
_add_prefixed("m", "m", 1, "meter|meters|metre|metres|metern|mètre|mètres|metro|metros|metri|米", _METRIC)
_add_prefixed(
    "g",
    "kg",
    "0.001",
    "gram|grams|gramme|grammes|gramm|gramo|gramos|grama|gramas|grammo|grammi|克",
    ". k M h d c m µ n p",
    "gr",
)
_add_prefixed("L", "m^3", "0.001", "liter|liters|litre|litres|litern|litro|litros|litri|升", ". k h d c m µ n", "l")
_add_prefixed(
    "s",
    "s",
    1,
    "second|seconds|secs|sekunde|sekunden|seconde|secondes|segundo|segundos|secondo|secondi|秒",
    ". m µ n p f",
    "sec",
)
_add_prefixed("J", "kg m^2 s^-2", 1, "joule|joules", _SI)
_add_prefixed("W", "kg m^2 s^-3", 1, "watt|watts", _SI)
_add_prefixed("N", "kg m s^-2", 1, "newton|newtons", _SI)
_add_prefixed("Pa", "kg m^-1 s^-2", 1, "pascal|pascals", _SI + " h")
_add_prefixed("Hz", "s^-1", 1, "hertz|hertzes", _SI)
_add_prefixed("A", "A", 1, "ampere|amperes|amp|amps", _SI)
_add_prefixed("C", "A s", 1, "coulomb|coulombs", _SI)
_add_prefixed("V", "kg m^2 s^-3 A^-1", 1, "volt|volts", _SI)
_add_prefixed("Ω", "kg m^2 s^-3 A^-2", 1, "ohm|ohms", _SI, "ohm")
for _word in ("kilohm", "kilohms", "megohm", "megohms"):
    WORDS[_word] = SYMBOLS["kΩ" if _word.startswith("k") else "MΩ"]
_add_prefixed("S", "kg^-1 m^-2 s^3 A^2", 1, "siemens", ". m µ")
_add_prefixed("F", "kg^-1 m^-2 s^4 A^2", 1, "farad|farads", _SI)
_add_prefixed("T", "kg s^-2 A^-1", 1, "tesla|teslas", ". m µ n")
_add_prefixed("Wb", "kg m^2 s^-2 A^-1", 1, "weber|webers", ". m µ")
_add_prefixed("H", "kg m^2 s^-2 A^-2", 1, "henry|henries|henrys", ". m µ n")
_add_prefixed("mol", "mol", 1, "mole|moles", ". k m µ n")
_add_prefixed("M", "mol m^-3", 1000, "molar", ". m µ n")
_add_prefixed("cd", "cd", 1, "candela|candelas", ". m k")
_add_prefixed("lm", "lm", 1, "lumen|lumens", ".")
_add_prefixed("lx", "lm m^-2", 1, "lux", ".")
_add_prefixed("Bq", "s^-1", 1, "becquerel|becquerels", _SI)
_add_prefixed("Gy", "m^2 s^-2", 1, "gray|grays", ". m µ")
_add_prefixed("Sv", "sievert", 1, "sievert|sieverts", ". m µ")
_add_prefixed(
    "eV", "kg m^2 s^-2", "1.602176634e-19", "electronvolt|electronvolts|electron volt|electron volts", ". k M G T m"
)
_add_prefixed(
    "Wh", "kg m^2 s^-2", 3600, "watt-hour|watt-hours|watt hour|watt hours|watthour|watthours|wattstunden", ". k M G T"
)
_add_prefixed("cal", "kg m^2 s^-2", "4.184", "calorie|calories", ". k", "Cal")
_add_prefixed("bar", "kg m^-1 s^-2", 100_000, "bars", ". m k")
_add_prefixed("B", "bit", 8, "byte|bytes", ". k M G T P", "")
_add_prefixed("bit", "bit", 1, "bits", ". k M G T", "b")
for _prefix, _word, _power in (("K", "kibi", 1), ("M", "mebi", 2), ("G", "gibi", 3), ("T", "tebi", 4)):
    _add(f"{_prefix}iB", "bit", 8 * 1024**_power, "", f"{_word}byte|{_word}bytes")
for _names, _symbol in (
    ("公里 千米 キロメートル 킬로미터", "km"),
    ("公尺 メートル 미터", "m"),
    ("厘米 公分 センチメートル 센티미터", "cm"),
    ("毫米 ミリメートル 밀리미터", "mm"),
    ("公斤 千克 キログラム 킬로그램", "kg"),
    ("公克 グラム 그램", "g"),
    ("毫克", "mg"),
    ("公升 リットル 리터", "L"),
    ("毫升 ミリリットル 밀리리터", "mL"),
    ("초", "s"),
    ("焦耳 ジュール", "J"),
    ("瓦 瓦特 ワット", "W"),
    ("牛 牛顿 ニュートン", "N"),
):
    for _word in _names.split():
        WORDS[_word] = SYMBOLS[_symbol]
for _names, _symbol, _power in (
    ("平方米 平方メートル 제곱미터", "m", 2),
    ("立方米 立方メートル", "m", 3),
    ("平方厘米", "cm", 2),
    ("立方厘米", "cm", 3),
):
    for _word in _names.split():
        _length = SYMBOLS[_symbol]
        WORDS[_word] = Unit(f"{_symbol}^{_power}", (("m", _power),), _length.factor**_power)
SYMBOLS["KB"] = SYMBOLS["kB"]
del SYMBOLS["Cal"]
for _bits in ("kbps", "Mbps", "Gbps"):
    _add(_bits, "bit s^-1", SYMBOLS[_bits[0] + "bit"].factor)
_add("min", "s", 60, "mins min.", "minute|minutes|minuten|minuto|minutos|minuti|分钟|分鐘|分間|分|분")
_add("h", "s", 3600, "hr hrs hrs.", "hour|hours|stunde|stunden|std|heure|heures|hora|horas|ora|ore|小时|小時|時間|시간")
_add("day", "s", 86400, "d", "days|tage|tagen|jour|jours|día|días|dia|dias|giorno|giorni|天|일")
_add("week", "s", 604800, "wk wks", "weeks|woche|wochen|semaine|semaines|semana|semanas|settimana|settimane|周|週間")
_add("month", "month", 1, "mo", "months|monat|monate|mois|mes|meses|mês|mese|mesi|个月")
_add("year", "month", 12, "yr yrs", "years|jahr|jahre|ans|année|années|año|años|ano|anos|anno|anni|年|년")
_add("decade", "month", 120, "", "decades")
_add("century", "month", 1200, "", "centuries")
_add("in", "m", "0.0254", '" in.', "inch|inches|zoll|pouce|pouces|pulgada|pulgadas|polegada|polegadas|pollice|pollici")
_add("ft", "m", "0.3048", "' ft.", "foot|feet|pied|pieds")
_add("yd", "m", "0.9144", "yds", "yard|yards")
_add("mi", "m", "1609.344", "mi.", "mile|miles|meile|meilen|milla|millas|milha|milhas|miglio|miglia")
_add("nmi", "m", 1852, "", "nautical mile|nautical miles")
_add("Å", "m", "1e-10", "", "angstrom|angstroms|ångström")
_add("au", "m", 149_597_870_700, "AU", "astronomical unit|astronomical units")
_add("ly", "m", 9_460_730_472_580_800, "", "light year|light years|light-year|light-years")
_add("lb", "kg", "0.45359237", "lbs lb. lbs.", "pound|pounds|pfund|livre|livres|libra|libras")
_add("oz", "kg", "0.028349523125", "oz.", "ounce|ounces")
_add("st", "kg", "6.35029318", "", "stone|stones")
_add("t", "kg", 1000, "", "tonne|tonnes|metric ton|metric tons|tonnen|tonelada|toneladas|tonnellata|tonnellate|吨")
_add("ton", "ton", 1, "", "tons")
_add("u", "kg", "1.66053906660e-27", "Da", "dalton|daltons|amu|atomic mass unit|atomic mass units")
_add("mph", "m s^-1", "0.44704")
_add("km/h", "m s^-1", Fraction(5, 18), "kph kmh kmph")
_add("kn", "m s^-1", Fraction(1852, 3600), "kt", "knot|knots")
_add("°", "degree", 1, "º", "deg|degree|degrees|grad|degré|degrés|grado|grados|grau|graus|gradi|度")
_add("rad", "radian", 1, "", "radian|radians")
_add("sr", "steradian", 1, "", "steradian|steradians")
_add("rpm", "revolution min^-1", 1, "", "revolutions per minute")
_add(
    "°C",
    "celsius",
    1,
    "℃ degC",
    "celsius|degrees celsius|degree celsius|deg c|degrees c|degree c|centigrade|degrees centigrade|grad celsius|摄氏度",
)
_add("°F", "fahrenheit", 1, "℉ degF", "fahrenheit|degrees fahrenheit|degree fahrenheit|deg f|degrees f|degree f|华氏度")
_add("K", "K", 1, "", "kelvin|kelvins")
_add("ha", "m^2", 10_000, "", "hectare|hectares|hektar|hectárea|hectáreas|ettaro|ettari|公顷")
_add("acre", "m^2", "4046.8564224", "ac", "acres")
_add("gal", "m^3", "0.003785411784", "", "gallon|gallons|galón|galones|us gallon|us gallons")
_add("qt", "m^3", "0.000946352946", "", "quart|quarts")
_add("pt", "m^3", "0.000473176473", "", "pint|pints")
_add("cup", "m^3", "0.0002365882365", "", "cups")
_add("fl oz", "m^3", "0.0000295735295625", "", "fluid ounce|fluid ounces")
_add("cm^3", "m^3", "0.000001", "cc ccm")
_add("atm", "kg m^-1 s^-2", 101_325, "", "atmosphere|atmospheres")
_add("mmHg", "kg m^-1 s^-2", "133.322387415", "", "millimeters of mercury|mm hg")
_add("psi", "kg m^-1 s^-2", "6894.757293168", "", "pounds per square inch")
_add("torr", "kg m^-1 s^-2", Fraction(101_325, 760), "Torr")
_add("hp", "kg m^2 s^-3", "745.69987158227022", "", "horsepower")
_add("BTU", "kg m^2 s^-2", "1055.05585262", "Btu")
_add("dB", "decibel", 1, "", "decibel|decibels")
_add("%", "%", 1, "", "percent")
_add("ppm", "ppm", 1, "", "parts per million")
_add("dozen", "dozen", 1)
_add("$", "USD", 1, "USD US$ \\$", "dollar|dollars|us dollar|us dollars|dólar|dólares|dollari|美元")
_add("¢", "USD", "0.01", "", "cent|cents|centavo|centavos")
_add("€", "EUR", 1, "EUR", "euro|euros|欧元")
_add("£", "GBP", 1, "GBP", "pounds sterling|pound sterling|quid")
_add("p", "GBP", "0.01", "", "pence|penny")
_add("¥", "JPY", 1, "JPY", "yen|円|日元")
_add("CNY", "CNY", 1, "RMB", "yuan|renminbi|元|人民币")
_add("₹", "INR", 1, "INR Rs Rs. ₨", "rupee|rupees")
_add("₩", "KRW", 1, "KRW", "won|원")
_add("₽", "RUB", 1, "RUB", "rouble|roubles|ruble|rubles")
_add("CHF", "CHF", 1, "", "swiss franc|swiss francs|franken")
for _code in ("CAD", "AUD", "NZD", "HKD", "SGD", "SEK", "NOK", "DKK", "BRL", "MXN", "ZAR", "PLN"):
    _add(_code, _code, 1)
for _signs, _code in (
    ("C$ CA$", "CAD"),
    ("A$ AU$", "AUD"),
    ("NZ$", "NZD"),
    ("HK$", "HKD"),
    ("S$", "SGD"),
    ("R$", "BRL"),
    ("MX$", "MXN"),
):
    for _sign in _signs.split():
        SYMBOLS[_sign] = SYMBOLS[_code]
for _sign in "₺₫₱₪₴₦฿":
    _add(_sign, _sign, 1)
