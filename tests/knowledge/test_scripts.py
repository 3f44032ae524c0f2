"""Names in other scripts than Latin are entities too, by patterns alone."""

from __future__ import annotations

import itertools

import pytest

from mindlog.knowledge.extraction import EntityKind, name_key
from mindlog.knowledge.wordlist import wordlist
from tests.knowledge.made import check, names, read

SENTENCES = [
    ("我昨天和王小明一起吃饭。", "王小明"),
    ("李娜住在上海。", "李娜"),
    ("张伟在清华大学学习。", "张伟"),
    ("欧阳老师明天去北京。", "欧阳"),
    ("陳美玲搬到臺灣了。", "臺灣"),
    ("田中さんは東京に住んでいます。", "田中"),
    ("マリア・サントスが来ました。", "マリア・サントス"),
    ("Вчера Анна Петрова встретила Ивана.", "Анна Петрова"),
    ("Сергей работает в Яндексе.", "Сергей"),
    ("Моя сестра Ольга живёт в Москве.", "Ольга"),
    ("Вона зустріла Тараса Шевченка.", "Тараса Шевченка"),
    ("يسكن محمد العربي في القاهرة.", "محمد العربي"),
    ("التقيت بالدكتورة ليلى أمس.", "ليلى"),
    ("سافرت فاطمة إلى بيروت.", "فاطمة"),
    ("김민수는 서울에 산다.", "김민수"),
    ("어제 박지영 씨를 만났다.", "박지영"),
    ("이순신 장군은 유명하다.", "이순신"),
    ("Tegnap Kovács Anna elutazott Budapestre.", "Kovács Anna"),
    ("A nővérem, Nagy Eszter, Szegeden él.", "Nagy Eszter"),
    ("राहुल शर्मा दिल्ली में रहते हैं।", "राहुल शर्मा"),
    ("คุณสมชาย ไปเชียงใหม่", "สมชาย"),
    ("פגשתי את דוד כהן בחיפה.", "דוד כהן"),
    ("Η Μαρία Παπαδοπούλου ζει στην Αθήνα.", "Μαρία Παπαδοπούλου"),
]


@pytest.mark.parametrize(("text", "name"), SENTENCES)
def test_a_name_in_any_script_is_an_entity(text: str, name: str) -> None:
    found = read(text)
    check(found, text)
    assert name in names(found)


def test_two_cyrillic_names_are_two_entities() -> None:
    found = names(read("Вчера Анна Петрова и Анна Петренко встретили Ивана и Ирину."))
    assert {"Анна Петрова", "Анна Петренко", "Ивана", "Ирину"} <= set(found)


# Four or more of each, written after the rules.
MORE = """
赵丽颖下周要去杭州出差。
我同事孙建国买了一辆新车。
请告诉周婷会议改到三点。
马云在阿里巴巴开了会。
何静和郑凯结婚了。
Мы с Дмитрием поехали в Казань.
Моего врача зовут Елена Сергеевна.
Катя сказала, что Олег болен.
Завтра приедет Наталья из Новосибирска.
Мой начальник Павел Кузнецов живёт в Твери.
قابلت أحمد في دمشق أمس.
تعمل مريم في شركة أرامكو.
صديقي يوسف يعيش في الرباط.
زار خالد بغداد الأسبوع الماضي.
최유진은 부산에서 일한다.
내 친구 정하늘이 이사했다.
이민호 씨가 삼성전자에 다닌다.
서울에서 김철수와 저녁을 먹었다.
Szabó Péter Debrecenben dolgozik.
Tegnap találkoztam Tóth Katalinnal.
A főnököm, Varga László, beteg.
Holnap Gáborral ebédelek Pécsett.
"""


@pytest.mark.parametrize("text", MORE.strip().splitlines())
def test_every_sentence_with_a_name_has_an_entity(text: str) -> None:
    found = read(text)
    check(found, text)
    assert any(kind in (EntityKind.PERSON, EntityKind.OTHER) for kind in names(found).values())


CYRILLIC = sorted(
    wordlist(
        "Анна Анну Иван Ивана Ирина Марина Мария Мари Пётр Петр Пётра Сергей Сергий Андрей Андрій Ольга Олга Юлия Юля Фёдор Федор Й И"
    )
)


def test_two_different_cyrillic_names_never_share_a_key() -> None:
    same = {frozenset(("Пётр", "Петр")), frozenset(("Фёдор", "Федор"))}  # one name, with and without the dots
    for left, right in itertools.combinations(CYRILLIC, 2):
        assert (name_key(left) == name_key(right)) is (frozenset((left, right)) in same), (left, right)
    assert not {name_key(name) for name in CYRILLIC} & {
        name_key(name) for name in ("Anna", "Ivan", "Irina", "Marina", "Petr")
    }


@pytest.mark.parametrize(
    "text", ["今天天气很好。", "고양이가 잔다.", "मुझे चाय पसंद है।", "الطقس جميل اليوم.", "Сегодня хорошая погода."]
)
def test_a_sentence_without_a_name_has_no_entity(text: str) -> None:
    assert names(read(text)) == {}
