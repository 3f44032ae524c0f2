"""The words of time in English, German, French, Spanish, Russian, Chinese and Japanese. Tables only; the grammar gives them meaning."""

from __future__ import annotations

from typing import Final

from mindlog.knowledge.extraction import Precision

__all__ = ["DAY_WORDS", "MONTHS", "NUMBERS", "SEASONS", "TURNS", "UNITS", "WEEKDAYS", "is_spaced", "pattern_of"]


def _numbered(text: str, first: int) -> dict[str, int]:
    """One row a number, its words in all languages."""
    rows = text.strip().splitlines()
    return {word: number for number, row in enumerate(rows, first) for word in row.split()}


MONTHS: Final = _numbered(
    """
january jan januar jänner janvier enero январь января январе
february feb februar février fevrier febrero февраль февраля феврале
march mar märz maerz mars marzo март марта марте
april apr avril abril апрель апреля апреле
may mai mayo май мая мае
june jun juni juin junio июнь июня июне
july jul juli juillet julio июль июля июле
august aug août aout agosto август августа августе
september sept sep septembre septiembre сентябрь сентября сентябре
october oct oktober okt octobre octubre октябрь октября октябре
november nov novembre noviembre ноябрь ноября ноябре
december dec dezember dez décembre decembre diciembre декабрь декабря декабре
""",
    1,
)
"""Month names to 1 to 12."""

WEEKDAYS: Final = _numbered(
    """
monday montag lundi lunes понедельник понедельника
tuesday dienstag mardi martes вторник вторника
wednesday mittwoch mercredi miércoles miercoles среда среду среды
thursday donnerstag jeudi jueves четверг четверга
friday freitag vendredi viernes пятница пятницу пятницы
saturday samstag sonnabend samedi sábado sabado суббота субботу субботы
sunday sonntag dimanche domingo воскресенье воскресенья
""",
    0,
)
"""Names of weekdays to 0 (Monday) to 6."""

NUMBERS: Final = _numbered(
    """
a an one ein eine einem einer eines un une uno una 一 один одну одна
two zwei deux dos couple 二 两 兩 два две двух
three drei trois tres few 三 три трёх трех
four vier quatre cuatro 四 четыре четырёх четырех
five fünf cinq cinco 五 пять пяти
six sechs seis 六 шесть шести
seven sieben sept siete 七 семь семи
eight acht huit ocho 八 восемь восьми
nine neun neuf nueve 九 девять девяти
ten zehn dix diez 十 десять десяти
eleven elf onze once 十一
twelve zwölf douze doce 十二
""",
    1,
)
"""Number words; "a few" counts as three, "a couple" as two."""

_UNIT_ROWS = {
    Precision.MINUTE: "minute minutes min mins minuten minuto minutos минута минуту минуты минут 分钟 分鐘 分",
    Precision.HOUR: "hour hours hr hrs stunde stunden heure heures hora horas час часа часов 小时 小時 個小時 个小时 時間",
    Precision.DAY: "day days tag tage tagen jour jours día días dia dias день дня дней 天 日 日間",
    Precision.WEEK: "week weeks woche wochen semaine semaines semana semanas неделя неделю недели неделе недель 周 週 星期 个星期 個星期 週間 礼拜",
    Precision.MONTH: "month months monat monate monaten mois mes meses месяц месяца месяце месяцев 个月 個月 ヶ月 か月 カ月 ヶ月間 か月間",
    Precision.QUARTER: "quarter quarters quartal quartale trimestre trimestres квартал квартала квартале кварталов 季度",
    Precision.YEAR: "year years jahr jahre jahren an ans année annee années annees año años год года году лет 年 年間",
    Precision.DECADE: "decade decades jahrzehnt jahrzehnte jahrzehnten décennie décennies década décadas десятилетие десятилетия десятилетий",
}
UNITS: Final = {word: unit for unit, row in _UNIT_ROWS.items() for word in row.split()}
"""Words for units of time."""

# Days from today, then the expressions for it, separated by bars.
_DAY_ROWS = {
    -2: "the day before yesterday|day before yesterday|vorgestern|avant-hier|anteayer|antes de ayer|позавчера"
    "|前天|一昨日|おととい|前日",
    -1: "yesterday|last night|gestern|hier|ayer|anoche|вчера|昨天|昨日|昨晚|昨夜|きのう",
    0: "today|tonight|this morning|this afternoon|this evening|earlier today|heute|aujourd'hui|aujourd’hui|hoy|сегодня"
    "|今天|今日|今晚|今夜|今朝|きょう",
    1: "tomorrow|morgen|demain|mañana|завтра|明天|明日|あした",
    2: "the day after tomorrow|day after tomorrow|übermorgen|après-demain|pasado mañana|послезавтра|后天|後天|明後日|あさって",
}
DAY_WORDS: Final = {words: offset for offset, row in _DAY_ROWS.items() for words in row.split("|")}
"""Expressions for days around the anchor's."""

# Units from the current one, by the word that turns to it.
_TURN_ROWS = {
    -1: "last previous past letzte letzten letzter letztes vorige vorigen voriges vergangene vergangenen dernier dernière "
    "derniere derniers dernières passé passée pasado pasada último última últimos últimas "
    "прошлый прошлая прошлое прошлую прошлой прошлом прошлого прошлым прошлые прошлых последний последняя последнюю последние последних 上 上个 上個 先 昨 去",
    0: "this current diese diesen diesem dieser dieses ce cet cette este esta "
    "этот эта это эту этой этом этого этим эти текущий текущей текущем 这 這 这个 這個 本 今",
    1: "next coming following nächste nächsten nächster nächstes kommende kommenden kommender prochain prochaine próximo "
    "próxima próximos próximas следующий следующая следующую следующей следующем следующего следующим будущий будущую будущей будущем 下 下个 下個 来 來 明 翌",
}
TURNS: Final = {word: offset for offset, row in _TURN_ROWS.items() for word in row.split()}
"""Words that turn to the unit before, the current one, or the one after."""

SEASONS: Final = {
    word: number
    for number, row in enumerate(
        (
            "spring frühling frühjahr printemps primavera весна весну весной весны",
            "summer sommer été verano лето летом лета",
            "autumn fall herbst automne otoño осень осенью осени",
            "winter hiver invierno зима зиму зимой зимы",
        )
    )
    for word in row.split()
}
"""Seasons of the northern half to 0 (March to May) to 3 (December to February)."""


def is_spaced(word: str) -> bool:
    """Say whether a word is of a script that puts blanks between words: Latin or Cyrillic."""
    return word[0] < "\u1100"


def pattern_of(words: dict[str, int] | dict[str, Precision]) -> str:
    """Return an alternation of the words, longest first."""
    return "|".join(sorted((word.replace(".", r"\.") for word in words), key=len, reverse=True))
