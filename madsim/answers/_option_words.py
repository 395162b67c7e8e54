"""Letters that name no option: degrees, and the letters and numerals inside the text of the option that is named."""

from __future__ import annotations

import re

_ROMAN = r"\(?(?:i{1,3}|iv|vi{0,3}|I{1,3}|IV|VI{0,3})\)?"
_NO_OPTION = re.compile(
    r"°\s?[CFK]\b|"
    # "(D), both A and B"
    r"(?<=\([A-Z]\))[,:]?\s(?:[Bb]oth|[Nn]either|[Ee]ither)\s\(?[A-Z]\)?,?\s(?:and|nor|or)\s\(?[A-Z]\)?(?![A-Za-z])|"
    # "(i), (ii) and (iv) only, which is option (B)"
    rf"(?<![A-Za-z]){_ROMAN}(?:(?:,\s|,?\s(?:and|or)\s){_ROMAN}){{1,6}}(?:\sonly)?,?\s(?:which|that)\s(?:is|corresponds to|matches)\s"
    r"(?=(?:answer\s)?(?:option|choice)\s\(?[A-Z]\b)"
)


def without_option_words(text: str) -> str:
    """`text` with such letters blanked; every character keeps its place."""
    if "°" not in text and "oth " not in text and "ither " not in text and "(i" not in text and " only, " not in text:
        return text
    return _NO_OPTION.sub(lambda match: " " * len(match[0]), text)
