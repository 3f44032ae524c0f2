import random
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.index.analyzer import FUNCTION_TERMS, analyze, analyze_query
from mindlog.index.words import MAX_TERM_BYTES

ANY_TEXT = st.text(st.characters(), max_size=200)
WORDY = st.text(
    st.sampled_from("aZéßØłłı9٣.-_'’/@:,$%+# \t\u0301ё换換汇가나はカーผู้ดีकि😀\u200d🇩🇪\ud800\x00"), max_size=60
)


def found(text: str, cue: str) -> bool:
    """Whether a text holds every term of the cue."""
    terms = analyze_query(cue)
    return bool(terms) and set(terms) <= set(analyze(text))


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("外币汇率换算在 docker 里", "汇率"),
        ("外币汇率换算在 docker 里", "換算"),
        ("外币汇率换算在 docker 里", "DOCKER"),
        ("外幣匯率換算", "汇率换算"),
        ("我的猫很可爱", "猫"),
        ("日本語のデータベース", "データ"),
        ("ﾃﾞｰﾀﾍﾞｰｽ", "データベース"),
        ("서울에서 만났다", "서울"),
        ("서울 시청에서", "시청"),
        ("집에서 쉬었다", "집"),
        ("서울에서 만났다", unicodedata.normalize("NFD", "서울에서")),
        ("ภาษาไทยง่ายนิดเดียว", "ภาษาไทย"),
        ("อากาศดีมาก", "ดี"),
        ("ພາສາລາວ", "ພາສາ"),
        ("ភាសាខ្មែរ", "ភាសា"),
        ("Łódź", "Lodz"),
        ("Lodz", "ŁÓDŹ"),
        ("nai\u0308ve", "naïve"),
        ("naïve", "naive"),
        ("Straße", "STRASSE"),
        ("Ærøskøbing", "aeroskobing"),
        ("İstanbul", "istanbul"),
        ("Ёлка в лесу", "елка"),
        ("كِتَابٌ جميل", "كتاب"),
        ("قرأت الكتاب", "كتاب"),
        ("کتاب", "كتاب"),
        ("שָׁלוֹם", "שלום"),
        ("हिन्दी में", "हिन्दी"),
        ("the runners were running", "run"),
        ("many stories", "story"),
    ],
)
def test_words_are_found_in_any_case_accent_script_and_inflection(text: str, cue: str) -> None:
    assert found(text, cue)


@pytest.mark.parametrize(
    ("text", "cue"),
    [
        ("failed with ERR-7F3A-99 today", "err-7f3a-99"),
        ("failed with ERR-7F3A-99 today", "7F3A"),
        ("mail ann.lee+news@example.org.", "ANN.LEE+news@example.org"),
        ("mail ann.lee+news@example.org.", "ann.lee"),
        ("mail ann.lee+news@example.org.", "example.org"),
        ("see (https://example.com/a/b?x=1#top)!", "https://example.com/a/b?x=1#top"),
        ("see https://example.com/a/b?x=1", "example.com"),
        ("run /usr/local/bin/python3.11", "/usr/local/bin/python3.11"),
        ("run /usr/local/bin/python3.11", "python3.11"),
        (r"C:\Users\ann\notes.txt", "notes.txt"),
        ("python 3.11.4 is out", "3.11.4"),
        ("python 3.11.4 is out", "3.11"),
        ("call snake_case_name", "snake_case_name"),
        ("call snake_case_name", "snake case"),
        ("call snakeCaseName", "snake_case_name"),
        ("parse HTTPResponse", "http response"),
        ("GPT-4 or GPT4", "gpt 4"),
        ("an e-mail", "email"),
        ("in the U.S.A. now", "usa"),
        ("it costs $1,234.50", "$1234.50"),
        ("it costs $1,234.50", "1,234.50"),
        ("up 15% today", "15%"),
        ("written in C++ and C#", "c++"),
        ("written in C++ and C#", "C#"),
        ("at 100 GB/s", "GB/s"),
        ("I don't know", "dont"),
        ("I dont know", "don’t"),
        ("Ann's cat", "ann"),
        ("O'Brien", "obrien"),
        ("l'avion", "avion"),
        ("٣٫١٤ و ١٢٣", "123"),
        ("party 🎉🎉", "🎉"),
        ("flag 🇩🇪", "🇩🇪"),
        ("👩🏽\u200d💻 at work", "💻"),
    ],
)
def test_identifiers_numbers_and_symbols_are_found_whole_and_by_part(text: str, cue: str) -> None:
    assert found(text, cue)


def test_words_joined_by_hyphen_underscore_or_capital_are_one_word() -> None:
    assert analyze("email")[0] in analyze_query("E-Mail")
    assert analyze("snake_case")[0] == analyze("snakeCase")[0] == analyze("snake-case")[0] == analyze("snakecase")[0]


def test_different_identifiers_do_not_share_their_whole() -> None:
    assert "err-7f3a-99" in analyze("ERR-7F3A-99")
    assert "err-7f3a-99" not in analyze("ERR-7F3A-98 ERR-7F3B-99")
    assert "c++" not in analyze("C C#")
    assert "3.11.4" not in analyze("3.11.5 3.1.14")


def test_cyrillic_letters_are_not_taken_for_their_lookalikes() -> None:
    assert analyze("йод") != analyze("иод")
    assert analyze("їжа") != analyze("іжа")


def test_function_words_are_dropped_from_a_cue_unless_it_has_nothing_else() -> None:
    assert analyze_query("who is the boss") == ["boss"]
    assert analyze_query("to be or not to be") == ["to", "be", "or", "not"]
    assert set(analyze_query("who are you")) <= set(FUNCTION_TERMS)


def test_repeats_stay_in_a_text_and_go_from_a_cue() -> None:
    assert analyze("dog cat dog") == ["dog", "cat", "dog"]
    assert analyze_query("dog cat dog") == ["dog", "cat"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t\n",
        "\x00",
        "\ud800",
        "(" * 10_000,
        '"',
        "(",
        "*",
        "^",
        "NEAR(",
        "-",
        "+" * 5000,
        "\u0301" * 5000,
        "…",
        "​",
    ],
)
def test_text_without_words_has_no_terms(text: str) -> None:
    assert [term for term in analyze(text) if term != "near"] == []


def test_invisible_and_broken_characters_do_not_hide_the_words_around_them() -> None:
    assert found("se\u00adcret", "secret")
    assert found("a\x00secret\ud800word", "secret")
    assert found("secret\ufeff", "secret")


@pytest.mark.parametrize("text", ["a" * 5000, "x." * 4000, "-".join("é" * 9 for _ in range(900)), "가" * 3000])
def test_long_terms_are_shortened_and_still_found(text: str) -> None:
    assert max(len(term.encode()) for term in analyze(text)) <= MAX_TERM_BYTES
    assert found(text, text)


def test_long_terms_with_a_common_start_stay_apart() -> None:
    assert analyze("a" * 5000) != analyze("a" * 5001)


@pytest.mark.parametrize(
    "unit",
    ["(", "a", "a.", "1.", "1,", "a/", "a_", "a'", "aB", "$1", "@", "é\u0301", "汇率", "서울", "ภาษาไทย", "😀", "\ud800", "q9 ", "a-b "],
)  # fmt: skip
def test_a_long_run_of_anything_is_analysed(unit: str) -> None:
    text = unit * ((1 << 18) // len(unit.encode(errors="surrogatepass")))
    assert len(analyze(text)) <= 3 * len(text)


@given(ANY_TEXT | WORDY)
def test_any_text_gives_short_utf8_terms_and_the_same_ones_each_time(text: str) -> None:
    terms = analyze(text)
    assert all(0 < len(term.encode()) <= MAX_TERM_BYTES and not set(term) & set(" \n\t") for term in terms)
    assert analyze(text) == terms


@given(ANY_TEXT | WORDY)
def test_a_text_is_found_by_itself_and_each_of_its_words(text: str) -> None:
    terms = set(analyze(text))
    for cue in (text, *text.split()):
        assert set(analyze_query(cue)) <= terms


@given(ANY_TEXT | WORDY)
def test_canonically_equivalent_texts_have_the_same_terms(text: str) -> None:
    assert analyze(unicodedata.normalize("NFC", text)) == analyze(unicodedata.normalize("NFD", text))


@given(st.text(st.characters(categories=["L"]), min_size=1, max_size=12))
def test_a_word_in_capitals_is_found_in_lower_case(word: str) -> None:
    # Letters without a capital look like camelCase among capitals: that only adds parts.
    plain = unicodedata.normalize("NFKC", word)
    assert set(analyze(plain.lower())) <= set(analyze(plain.upper()))


def test_the_cache_does_not_change_what_a_text_means() -> None:
    words = [f"w{random.Random(i).getrandbits(40):x}" for i in range(70_000)]
    before = analyze(words[0])
    for word in words:
        analyze(word)
    assert analyze(words[0]) == before
