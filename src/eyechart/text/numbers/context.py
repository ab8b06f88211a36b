"""What stands around a number and says that it is weak, a range, or no count at all."""

from __future__ import annotations

import re

# far enough for any word that the patterns below look for before a number
BEFORE = 16

# "no" that answers rather than counts: at the end, or before a mark
NO_ANSWER = re.compile(r"\s*(?:$|[^\w\s])")
# "none" and its like, of things that are not counted
NO_COUNT = re.compile(
    r"\s*(?:idea|way|one|longer|doubt|problem|matter|answer|clue|information"
    r"|Ahnung|Zweifel|Möglichkeit|Antwort|Angaben?|Informationen|Weise"
    r"|doute|idée|problème|moyen|réponse|façon|manière"
    r"|duda|problema|manera|forma|idea|información|respuesta|que)\b"
    r"|\s*(?:问题|問題|办法|辦法|疑问|答案|信息|足够|其他|其它|任何其他|更多)",
    re.IGNORECASE,
)
# ein paar, un peu, un montón: an article of an amount; ein Bild: of the picture itself
NO_ARTICLE = re.compile(
    r"\s+(?:paar|bisschen|wenig|haufen|reihe|gruppe|menge|bild|foto|genaue[rsn]?"
    r"|peu|tas|groupe|certain|image|photo|nombre|total"
    r"|poco|montón|grupo|imagen|número)\b",
    re.IGNORECASE,
)
# pour cent, por ciento, per cent
PER = re.compile(r"\b(?:pour|por|per)\s\Z", re.IGNORECASE)
_PRONOUN_BEFORE = re.compile(
    r"\b(?:the|this|that|each|every|another|no|which|any|other|last|first|is|was|being)\s+\Z",
    re.IGNORECASE,
)
_PRONOUN_AFTER = re.compile(
    r"\s+(?:of|on|in|at|by|with|has|had|is|was|that|which|who|can|could|might|may|more|another)\b",
    re.IGNORECASE,
)
LABEL = re.compile(
    r"(?:\b(?:step|row|column|image|picture|photo|figure|fig\.?|line|group|no\.|number|page|item"
    r"|version|level|option|part|section|schritt|zeile|reihe|spalte|bild|seite|nummer|abbildung"
    r"|étape|ligne|rangée|colonne|page|numéro|paso|fila|columna|imagen|página)\s+"
    r"|#|第|(?:步骤|图|选项)\s?)\Z",
    re.IGNORECASE,
)
_LISTED = re.compile(r"[.)]\s+\S|、")
PARENTHESIS = re.compile("[()（）]")
NEGATIVE = re.compile(r"(?:^|[\s(:=])[-−]\Z")
NOT_WHOLE = re.compile(
    r"\s*(?:%|％|percent\b|per\s?cent\b|prozent\b|pour\s?cent\b|por\s?ciento\b)"
    r"|(?:st|nd|rd|th|er|re|e|ème|eme)\b|[º°ª]|[:/]\d|D\b|年",
    re.IGNORECASE,
)
_RANGE = re.compile(
    r"\s*(?:-|–|—|~|～|到|至|或|\b(?:to|or|bis|oder|à|ou|o|a|hasta)\b)\s*", re.IGNORECASE
)
_BETWEEN = {" and ": "between ", " und ": "zwischen ", " et ": "entre ", " y ": "entre "}


def is_pronoun(before: str, text: str, end: int) -> bool:
    """Whether an English "one" that ends at `end` stands for a thing rather than for its number."""
    return bool(_PRONOUN_BEFORE.search(before) or _PRONOUN_AFTER.match(text, end))


def is_listed(before: str, text: str, end: int) -> bool:
    """Whether a numeral numbers a line of a list: `2. cup`."""
    return not before.rpartition("\n")[2].strip(" \t-*#") and bool(_LISTED.match(text, end))


def is_range(text: str, start: int, between: str) -> bool:
    """Whether a number at `start` and the next, with `between` them, are the ends of a range."""
    opening = _BETWEEN.get(between.lower())
    if opening is not None:
        return text[max(0, start - len(opening)) : start].lower() == opening
    return len(between) <= BEFORE and _RANGE.fullmatch(between) is not None
