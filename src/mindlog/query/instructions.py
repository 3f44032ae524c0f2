"""Says of a text whether it reads like an order to a language model. Such a text is data like any other; who reads it is warned.

Rules over the words that such orders have in common, in several languages. No rule can know them all: that memory text is only ever
shown as data is what protects, see `context`.
"""

from __future__ import annotations

from itertools import chain
from typing import Final

import regex

__all__ = ["reads_like_instructions"]

_MOST_TEXT = 20_000  # characters that are read

_IGNORE = (
    # English, with the words between kept few so that "ignore the rules of the road" is no order.
    r"\b(?:ignore|disregard|forget|override|bypass|do not (?:follow|obey))\s+(?:\w+\s+){0,3}?"
    r"(?:previous|prior|above|preceding|earlier|former|system|your|all|any|these|those)\s+(?:\w+\s+){0,2}?"
    r"(?:instructions?|prompts?|rules|directions|guidelines|commands|orders|context|messages?)\b",
    # German
    r"\b(?:ignorier\w*|missacht\w*|vergiss|vergesst|vergessen\s+sie|überschreib\w*)\s+(?:\w+\s+){0,3}?"
    r"(?:anweisung\w*|instruktion\w*|vorgaben|regeln|befehle?|systemprompt\w*|prompts?)\b",
    # French
    r"\b(?:ignore[rsz]?|oublie[rsz]?|n['’]?e?\s*tiens?\s+pas\s+compte\s+d)\w*\s+(?:\w+['’\s]+){0,3}?"
    r"(?:instructions?|consignes|règles|directives|ordres)\b",
    # Spanish, Portuguese, Italian
    r"\b(?:ignor[ae]\w*|olvida\w*|esque[cç]\w+|desconsider\w+|dimentica\w*)\s+(?:\w+\s+){0,3}?"
    r"(?:instrucciones|instruções|istruzioni|reglas|regras|regole|órdenes|ordens|indicaciones)\b",
    # Dutch, Polish
    r"\b(?:negeer|vergeet|zignoruj|ignoruj|zapomnij)\s+(?:\w+\s+){0,3}?(?:instructies|instrukcj\w+|regels|polece\w+)\b",
    # Russian, Ukrainian
    r"\b(?:игнорируй\w*|проигнорируй\w*|забудь\w*|ігноруй\w*)\s+(?:\w+\s+){0,3}?(?:инструкци\w+|указани\w+|правила|команды|інструкції|вказівки)\b",
    # Chinese, Japanese, Korean
    r"(?:忽略|无视|無視|忘记|忘記|不要遵守)[^。！？\n]{0,12}(?:指令|指示|说明|說明|规则|規則|提示)",
    r"(?:指示|命令|プロンプト|ルール)[^。！？\n]{0,6}(?:無視|忘れ)",
    r"(?:지시|명령|프롬프트|규칙)[^.!?\n]{0,6}(?:무시|잊)",
)
_ROLES = (
    r"<\|?(?:im_start|im_end|system|assistant|endoftext|eot_id|start_header_id)\|?>",
    r"\[/?INST\]|<</?SYS>>",
    r"(?:^|\n)\s*#{1,6}\s*(?:new\s+)?(?:system(?:\s+prompt)?|instructions?)\s*:?\s*(?:\n|$)",
    r"(?:^|\n)\s*(?:system|developer)\s*(?:prompt|message)?\s*:\s",
)
_OBEY = (
    r"\byou\s+are\s+now\s+(?:an?\s+)?(?:\w+\s+){0,3}?(?:ai|assistant|model|chatbot|dan|unrestricted|jailbroken|in\s+\w+\s+mode)\b",
    r"\b(?:new|updated|real|important)\s+(?:system\s+)?instructions?\s*:",
    r"\b(?:answer|respond|reply|output|print|say)\s+(?:\w+\s+){0,2}?only\s+(?:with\s+)?[\"“'‘A-Z]",
    r"\b(?:reveal|print|repeat|show|leak|output)\s+(?:\w+\s+){0,2}?(?:system\s+prompt|your\s+(?:instructions|prompt))\b",
    r"\bdo\s+not\s+(?:tell|inform|mention\s+(?:this|it)\s+to|reveal\s+(?:this|it)\s+to)\s+the\s+user\b",
    r"\b(?:instruction|note|message)s?\s+(?:to|for)\s+(?:the\s+)?(?:ai|assistant|llm|language\s+model|model|chatbot)s?\b",
    r"\bwhen(?:ever)?\s+(?:you\s+are\s+|anyone\s+is\s+|the\s+user\s+)?ask(?:ed|s)[^.\n]{0,60}\b(?:always|only)\s+(?:answer|say|respond|reply)\b",
)
_RULES: Final = [regex.compile(rule, regex.IGNORECASE) for rule in chain(_IGNORE, _ROLES, _OBEY)]


def reads_like_instructions(text: str) -> bool:
    """Say whether the text, as far as it is read, holds what reads like an order to a language model."""
    shown = text[:_MOST_TEXT]
    return any(rule.search(shown) is not None for rule in _RULES)
