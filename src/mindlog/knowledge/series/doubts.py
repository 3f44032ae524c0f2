"""Says which numbers of a sentence are no readings: changes, bounds, plans, denials. Knows no name and no time.

"rose 5% to 3.4M" holds one reading, 3.4M; the 5% is how far it came.
"""

from __future__ import annotations

import re
from typing import Final

from mindlog.knowledge.extraction import Span
from mindlog.knowledge.series.found import LeftOut

__all__ = ["CHANGE_VERBS", "doubt_about", "doubt_of_clause"]

CHANGE_VERBS: Final = (
    r"rose|rise|rises|risen|rising|grew|grow|grows|grown|growing|increased|increase|increases|increasing|climbed|climb|climbs|jumped|jump|jumps|surged|surge|soared|soar"
    r"|gained|gain|advanced|expanded|expand|improved|improve|fell|fall|falls|fallen|falling|dropped|drop|drops|dropping|declined|decline|declines|declining|decreased|decrease|decreases"
    r"|shrank|shrink|shrunk|slipped|slip|slid|slide|sank|sink|plunged|plummeted|dipped|dip|eased|cooled|warmed|tumbled|lost|lose|contracted|rebounded|recovered"
    r"|doubled|tripled|halved|went|went up|went down|go up|going up|moved|changed|swung|edged up|edged down|crept up|ticked up|shot up|came down|cut|raised|lifted"
    r"|stieg|stiegen|gestiegen|fiel|fielen|sank|wuchs|wuchsen|augmenté|baissé|passé|passée|est passée?|aumentó|bajó|subió|creció|cayó|pasó|выросла|выросли|вырос|снизилась"
)
_ABOUT = r"(?:about|around|approximately|approx\.?|nearly|almost|roughly|some|just|only|a|an|another|further|ca\.?|rund|etwa|environ|~|≈)"
_DELTA_BEFORE: Final = re.compile(
    rf"(?<!\w)(?:by|up|down|plus|minus|(?:{CHANGE_VERBS}|added|shed|gaining|losing)(?:\s+(?:up|down|by|sharply|slightly|steadily|further|again))*"
    rf"|um|de\s+plus|gain\s+of|loss\s+of|rise\s+of|increase\s+of|drop\s+of|decline\s+of|fall\s+of|decrease\s+of|growth\s+of|jump\s+of|change\s+of|difference\s+of)"
    rf"(?:\s+{_ABOUT}){{0,2}}\s*[(]?$",
    re.IGNORECASE,
)
_DELTA_AFTER: Final = re.compile(
    r"[\s-]*(?:points?\s+)?(?:increase|decrease|rise|drop|decline|growth|higher|lower|more|less|fewer|gain|loss|(?:up|down)(?!\s+(?:from|to))|jump|surge|fall|improvement|reduction|change|cut"
    r"|above|below|better|worse|over\s+the\s+(?:previous|prior|past)|yoy|y/y|qoq|year[- ](?:on|over)[- ]year|than|from\s+the\s+(?:previous|prior|same))(?!\w)",
    re.IGNORECASE,
)
_BOUND: Final = re.compile(
    r"(?<!\w)(?:(?:more|less|fewer|higher|lower|greater|better|worse|later|earlier)\s+than|at\s+least|at\s+most|no\s+more\s+than|over|under|above|below|up\s+to|beyond"
    r"|exceed(?:ed|ing|s)?|surpass(?:ed|ing)?|topped|maximum\s+of|minimum\s+of|as\s+much\s+as|as\s+many\s+as|as\s+little\s+as|within|between|between\s+[^\s,;]+(?:\s[^\s,;]+){0,2}\s+and|mehr\s+als|über|unter|mindestens|plus\s+de"
    r"|moins\s+de|más\s+de|menos\s+de|[<>≥≤])\s*(?:the\s+)?$",
    re.IGNORECASE,
)
_WENT_UP: Final = re.compile(
    r"(?:went|goes|gone|go|moved|rose|climbed|came|edged|crept|ticked|shot|jumped|was|were|is|are)\s+up\s+to\s*$",
    re.IGNORECASE,
)
_FORECAST: Final = re.compile(
    r"(?<!\w)(?:will|'ll|’ll|would|could|should|(?-i:may)|might|can|expects?|expected|expecting|forecasts?|forecasted|projects|projected|projections?|predicts?|predicted|plans?|planned|planning|aims?"
    r"|targets?|targeted|goals?|hopes?|hoping|wants?|intends?|estimates?\s+for|likely|if|unless|suppose|imagine|assuming|guidance|budgeted|wird|werden|soll|könnte|sera|serait|será|podría)(?!\w)",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"(?<!\w)(?:not|never|n['’]t|neither|nor|without|nicht|kein\w*|jamais)(?!\w)|n['’]t(?!\w)|(?<!\w)ne\s|(?<!\w)no(?=\s+(?:longer|\w+\s+(?:was|were)))",
    re.IGNORECASE,
)
_LOOK: Final = 48


def doubt_about(text: str, span: Span, start: int) -> LeftOut | None:
    """Return why an amount of a sentence that begins at `start` is no reading by the words beside it, None if it is one."""
    before = text[max(start, span.start - _LOOK) : span.start]
    after = text[span.end : span.end + _LOOK]
    if _DELTA_BEFORE.search(before) and not before.endswith("up to "):
        return LeftOut.CHANGE
    if _DELTA_AFTER.match(after):
        return LeftOut.CHANGE
    return LeftOut.BOUND if _BOUND.search(before) and not _WENT_UP.search(before) else None


def doubt_of_clause(clause: str) -> LeftOut | None:
    """Return why nothing a clause says has happened: it plans, supposes or denies it."""
    if _FORECAST.search(clause):
        return LeftOut.FORECAST
    return LeftOut.NEGATED if _NEGATED.search(clause) else None
