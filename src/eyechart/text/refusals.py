"""Tells whether a whole reply is a refusal.

Asked only where no answer could be read. Conservative on purpose: a reply counts as refused when
it opens with one of a short list of phrases and is short; anything else without an answer is
unreadable, not refused.
"""

from __future__ import annotations

import re

_LONGEST = 600

# How refusals open, lower case, straight apostrophes; one line a language.
_OPENINGS = (
    # English
    r"(?:i'?m|i am) (?:(?:very |so |really )?sorry|unable to|not able to|not comfortable)",
    r"(?:i )?(?:apologi[sz]e|apologies)\b",
    r"(?:unfortunately,? |sorry,? (?:but )?)?i (?:can'?t|cannot|can not|won'?t|will not|am unable to|must decline)",
    r"(?:as|since i am|since i'm) an? (?:ai|language model|artificial intelligence)\b",
    r"i (?:don'?t|do not) have (?:the )?(?:ability|capability|access)\b",
    r"sorry\b",
    # Chinese, Japanese, Korean
    r"(?:很|非常|十分)?(?:抱歉|对不起|對不起)",
    r"我(?:无法|無法|不能|不可以|看不到|没办法|沒辦法)",
    r"(?:无法|無法)(?:识别|識別|查看|确定|確定|看到|提供|回答)",
    r"作为(?:一个|一名)?(?:ai|人工智能|语言模型)",
    r"(?:大変)?(?:申し訳|すみません|ごめんなさい)",
    r"(?:죄송|미안)",
    # German, French, Spanish, Italian, Portuguese, Dutch
    r"(?:es tut mir leid|tut mir leid|leider kann ich|ich kann (?:dir |ihnen )?(?:dabei |das )?nicht)\b",
    r"(?:je suis désolée?|désolée?\b|je ne peux pas|je ne suis pas en mesure)",
    r"(?:lo siento|lamentablemente|no puedo ayudar|no puedo (?:responder|contar|ver|identificar))\b",
    r"(?:mi dispiace|non posso (?:aiutar|rispondere|identificare))",
    r"(?:desculpe|sinto muito|lamento|não posso)\b",
    r"(?:het spijt me|ik kan (?:u |je )?(?:daar )?niet)\b",
    # Polish, Turkish, Vietnamese, Indonesian
    r"(?:przepraszam|przykro mi|niestety nie mogę|nie mogę)\b",
    r"(?:üzgünüm|maalesef|özür dilerim)\b",
    r"(?:(?:tôi )?xin lỗi|tôi không thể)\b",
    r"(?:maaf|mohon maaf|saya tidak (?:dapat|bisa))\b",
    # Russian, Arabic, Hindi
    r"(?:извините|простите|к сожалению|я не могу)",
    r"(?:عذرا|عذرًا|آسف|أعتذر|لا أستطيع|لا يمكنني)",
    r"(?:क्षमा|माफ़|माफ|मुझे खेद)",
)
_OPENING = re.compile("|".join(_OPENINGS))


def is_refusal(text: str) -> bool:
    """Whether the reply as a whole declines: it opens as refusals do and has at most 600 characters."""
    if len(text) > _LONGEST:
        return False
    plain = text.strip().lstrip("*_\"'“”`> ").lower().replace("’", "'")
    return _OPENING.match(plain) is not None
