r"""Which characters the caption tokenizer keeps, joins to words, or takes for spaces.

Found by experiment: every character of the basic plane was put between letters, between digits,
alone and doubled through the program that `eyechart.text.ptb` reproduces, and sorted by what it
printed. The strings below stand inside the square brackets of regular expressions.
"""

from __future__ import annotations

import re

# signs that go on with a word that holds or begins with them, but join nothing by themselves
MARKS = (
    r"\u02c2-\u02c5\u02d2-\u02df\u02e5-\u02eb\u02ed\u02ef-\u036f\u0375\u0378-\u0379\u0384-\u0385"
    r"\u03f6\u0483-\u0487\u055a-\u055f\u0591-\u05bd\u05bf\u05c1-\u05c2\u05c4-\u05c5\u05c7"
    r"\u0615-\u061a\u064b-\u065e\u0670\u06d6-\u06e4\u06e7-\u06ed\u06fd-\u06fe\u070f\u0711"
    r"\u0730-\u074c\u07a6-\u07b0\u07eb-\u07f3\u0900-\u0903\u093c\u093e-\u094e\u0951-\u0955"
    r"\u0962-\u0963\u0981-\u0983\u09bc\u09be-\u09c4\u09c7-\u09c8\u09cb-\u09cd\u09d7\u09e2-\u09e3"
    r"\u0a01-\u0a03\u0a3c\u0a3e-\u0a4f\u0a81-\u0a83\u0abc\u0abe-\u0acf\u0b82\u0bbe-\u0bc2"
    r"\u0bc6-\u0bc8\u0bca-\u0bcd\u0c01-\u0c03\u0c3e-\u0c56\u0d3e-\u0d44\u0d46-\u0d48\u0e31"
    r"\u0e34-\u0e3a\u0e47-\u0e4e\u0eb1\u0eb4-\u0ebc\u0ec8-\u0ecd"
)
# each a token of its own
_SYMBOLS = (
    r"\u00a1\u00a5-\u00a9\u00ac\u00ae-\u00b1\u00b4\u00b6-\u00b8\u00bf\u00d7\u00f7\u037e\u0387"
    r"\u0589\u05be\u05c0\u05c3\u05c6\u05f3-\u05f4\u0600-\u0603\u0606-\u060c\u0614\u061b"
    r"\u061e-\u061f\u066a\u066d\u06d4\u0700-\u070d\u07f6-\u07f8\u0964-\u0965\u0e3f\u0e4f\u1fbd"
    r"\u2016-\u2017\u2020-\u2023\u2030-\u2038\u203b\u203e-\u2042\u207a-\u207e\u208a-\u208e\u20a4"
    r"\u2100-\u2101\u2103-\u2106\u2108-\u2109\u2114\u2116-\u2118\u211e-\u2123\u2125\u2127\u2129"
    r"\u212e\u213a-\u213b\u2140-\u2144\u214a-\u214d\u214f\u2155-\u215e\u2190-\u2bff\u3001-\u3002"
    r"\u3012\u30fb\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffe1\uffe5-\uffe6"
)
# small figures, above and below the line: a run of them is one token
SMALL_FIGURES = r"\u00b2\u00b3\u00b9\u2070\u2074-\u2079\u2080-\u2089"
# quotation marks, dashes, money, fractions: printed in another form
_REWRITTEN = (
    r"\u00a2-\u00a4\u00ab\u00ad\u00bb-\u00be\u058a\u066b-\u066c\u2010-\u2011\u2013-\u2015"
    r"\u2018-\u201f\u2026\u2039-\u203a\u2044\u20a0\u20ac\u2153-\u2154"
)
# what Python takes for letters or figures and the program does not: they part words. Letters that
# came into Unicode after the program, and figures in rings, in Roman or in other old notations
_UNKNOWN = (
    r"\u037f\u0528-\u052f\u0560\u0588\u05ef\u0860-\u0887\u0889-\u088e\u08a1\u08ad-\u08c9\u0978"
    r"\u0980\u09f4-\u09f9\u09fc\u0af9\u0b72-\u0b77\u0bf0-\u0bf2\u0c34\u0c5a-\u0c5d\u0c78-\u0c7e"
    r"\u0c80\u0cdd\u0d04\u0d54-\u0d56\u0d58-\u0d5f\u0d70-\u0d78\u0de6-\u0def\u0e86\u0e89\u0e8c"
    r"\u0e8e-\u0e93\u0e98\u0ea0\u0ea8-\u0ea9\u0eac\u0f2a-\u0f33\u1369-\u137c\u13f5-\u13fd"
    r"\u16ee-\u16f8\u170d\u171f\u17f0-\u17f9\u1878\u191d-\u191e\u19b0-\u19c0\u19c8-\u19c9\u19da"
    r"\u1b4c\u1c80-\u1cbf\u1cf2-\u1cf3\u1cfa\u2150-\u2152\u215f-\u2182\u2185-\u2189\u2c2f\u2c5f"
    r"\u2cfd\u3007\u3021-\u3029\u3038-\u303a\u312e-\u312f\u3192-\u3195\u31bb-\u31bf\u3220-\u3229"
    r"\u3248-\u324f\u3251-\u325f\u3280-\u3289\u32b1-\u32bf\u4db6-\u4dbf\u9fcd-\u9fff\ua698-\ua69d"
    r"\ua6e6-\ua6ef\ua78f\ua794-\ua79f\ua7ab-\ua7f7\ua830-\ua835\ua8fd-\ua8fe\ua9e0-\ua9e4"
    r"\ua9e6-\ua9fe\uaa7e-\uaa7f\uab30-\uab5a\uab5c-\uab69\uab70-\uabbf"
)
# a letter is a word character that is none of these
NO_LETTERS = rf"\W_{SMALL_FIGURES}\u00bc-\u00be\u2153-\u215e\u2460-\u24ff\u2776-\u2793"

_PARTS = re.compile(
    rf"[^\w\t\n -~\u00a0{MARKS}{_SYMBOLS}{SMALL_FIGURES}{_REWRITTEN}]|[{_UNKNOWN}\U00010000-\U0010ffff]"
)
# control characters that old Windows texts have for signs, and the hyphen that is not seen
_READ_AS = {
    0x80: "\u20ac",
    0x85: "\u2026",
    0x91: "\u2018",
    0x92: "\u2019",
    0x93: "\u201c",
    0x94: "\u201d",
    0x96: "\u2013",
    0x97: "\u2014",
    0xAD: None,
}


def legible(text: str) -> str:
    """The text with only the characters that the rules know; others become two tabs, which part."""
    return (
        text
        if text.isascii() and text.isprintable()
        else _PARTS.sub("\t\t", text.translate(_READ_AS))
    )
