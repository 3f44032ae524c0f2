import math
import random
import tempfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mindlog.errors import Closed
from mindlog.index import shelf
from mindlog.index.analyzer import FUNCTION_TERMS, analyze, analyze_query
from mindlog.index.base import IndexState
from mindlog.index.bm25 import Bm25
from mindlog.index.lexical import LexicalDoc, LexicalIndex

WORDS = [
    "red",
    "blue",
    "green",
    "boat",
    "car",
    "sail",
    "the",
    "of",
    "harbour",
    "wind",
    "Łódź",
    "汇率换算",
    "don't",
    "3.11.4",
]
NEVER = 3_600_000


def open_empty(path: Path, **options: int) -> LexicalIndex:
    index = LexicalIndex.open(path, **options)
    index.bind(np.empty(0, np.int64))
    return index


def doc(row: int, text: str, dataset: int = 1) -> LexicalDoc:
    return LexicalDoc(row, row, 0, dataset, text)


def ranked(
    index: LexicalIndex, cue: str, *, k: int = 10, dataset: int = 1, allowed: set[int] | None = None
) -> list[int]:
    mask = None if allowed is None else np.isin(np.arange(max(allowed, default=-1) + 1), list(allowed))
    return index.search(analyze_query(cue), dataset=dataset, k=k, allowed=mask).rows.tolist()


def scored(index: LexicalIndex, cue: str, k: int = 1000, dataset: int = 1) -> list[tuple[int, float]]:
    found = index.search(analyze_query(cue), dataset=dataset, k=k)
    return list(zip(found.rows.tolist(), found.scores.tolist(), strict=True))


def by_the_book(texts: dict[int, str], cue: str) -> list[tuple[int, float]]:
    """BM25 as its docstring has it, one document at a time."""
    counts = {row: Counter(analyze(text)) for row, text in texts.items()}
    scores: Counter[int] = Counter()
    for term in analyze_query(cue):
        holders = sum(term in count for count in counts.values())
        idf = math.log(1 + (len(texts) - holders + 0.5) / (holders + 0.5))
        for row, count in counts.items():
            length = sum(n for word, n in count.items() if word not in FUNCTION_TERMS)
            if term in count:
                scores[row] += idf * 2.2 * count[term] / (count[term] + 0.3 + length / 20)
    return sorted(scores.items(), key=lambda item: (-item[1], item[0]))


def assert_same_ranking(found: list[tuple[int, float]], expected: list[tuple[int, float]]) -> None:
    assert {row for row, _ in found} == {row for row, _ in expected}
    assert dict(found) == pytest.approx(dict(expected), rel=1e-5)
    for (_, left), (_, right) in pairwise(found):
        assert left >= right


def test_a_text_is_found_as_soon_as_add_returns(tmp_path: Path) -> None:
    index = open_empty(tmp_path, linger_ms=NEVER)
    for row in range(50):
        index.add([doc(row, f"note number {row} about w{row}x")])
        assert ranked(index, f"w{row}x") == [row]
    index.close()


def test_one_rare_word_outranks_two_hundred_texts_about_something_else(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.add([doc(row, f"the cat {row} sleeps") for row in range(200)])
    index.add([doc(200, "the pump stopped with ERR-7F3A-99 at noon")])
    assert ranked(index, "ERR-7F3A-99", k=5)[0] == 200
    assert ranked(index, "what was err-7f3a-99", k=5)[0] == 200
    index.close()


def test_a_long_stuffed_text_does_not_outrank_a_short_one_that_says_it(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.add(
        [doc(0, "car purchase " * 3 + "lorem ipsum dolor sit amet " * 60), doc(1, "the car purchase went through")]
    )
    index.add([doc(row, f"other text {row}") for row in range(2, 30)])
    assert ranked(index, "car purchase")[0] == 1
    index.close()


@pytest.mark.parametrize(
    "cue",
    ['"', "(", "a AND", "GB/s", "$prev", "don't", "*", "NEAR(", "-x", "^", "(" * 10_000, "\x00", "😀", "\ud800", ""],
)
def test_no_cue_is_an_error_and_its_words_are_found(tmp_path: Path, cue: str) -> None:
    index = open_empty(tmp_path)
    index.add([doc(0, "a and 90 GB/s, $prev don't NEAR x 😀"), doc(1, "something else")])
    assert ranked(index, cue) == ([0] if analyze_query(cue) else [])
    index.close()


def test_an_index_without_texts_finds_nothing(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    assert ranked(index, "anything", dataset=7) == []
    index.add([doc(0, "boat")])
    assert ranked(index, "boat", dataset=7) == []
    assert index.scores(["boat"], np.array([0]), dataset=7).tolist() == [0.0]
    index.close()


def test_what_other_datasets_hold_changes_neither_ranking_nor_scores(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.add([doc(0, "red car"), doc(1, "blue car car"), doc(2, "blue boat sail far")])
    before = scored(index, "blue car boat")
    index.add([doc(row, "car " * (row % 7) + "long text about boats" * 3, dataset=2) for row in range(10, 300)])
    assert scored(index, "blue car boat") == before
    index.close()


def test_a_filter_gets_every_match_it_allows_however_rare(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.add([doc(row, "boat " * (1 + row % 3) + f"n{row}") for row in range(3000)])
    allowed = set(range(7, 3000, 500))
    assert set(ranked(index, "boat", k=10, allowed=allowed)) == allowed
    assert ranked(index, "boat", k=10, allowed=set()) == []
    assert len(ranked(index, "boat", k=5000)) == 3000
    index.close()


def test_rows_that_are_newer_than_the_mask_are_not_allowed(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.add([doc(row, "boat") for row in range(5)])
    found = index.search(["boat"], dataset=1, k=10, allowed=np.ones(3, np.bool_))
    assert found.rows.tolist() == [0, 1, 2]
    index.close()


def test_equal_scores_are_ordered_by_row_and_cut_there(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.add([doc(row, "boat") for row in (9, 3, 7, 1, 5)])
    assert ranked(index, "boat", k=3) == [1, 3, 5]
    assert ranked(index, "boat", k=0) == []
    index.close()


def test_scores_of_given_rows_are_those_of_the_search(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.add([doc(row, f"{WORDS[row % 6]} {WORDS[row % 5]}") for row in (8, 2, 40, 11, 3)])
    terms = analyze_query("red boat car")
    match = index.match(terms, dataset=1)
    best = match.best(10)
    assert match.of(best.rows).tolist() == best.scores.tolist()
    assert index.scores(terms, np.array([1, 40, 99]), dataset=1)[[0, 2]].tolist() == [0.0, 0.0]
    index.close()


def test_a_match_tells_what_each_term_weighs(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.add([doc(0, "boat car"), doc(1, "boat sail"), doc(2, "wind"), doc(3, "hidden")])
    index.add([doc(4, "elsewhere", dataset=2)])
    index.hide(1, [3])
    match = index.match(analyze_query("boat sail hidden elsewhere unheard"), dataset=1)
    idf = Bm25().idf
    assert (match.idf("boat"), match.idf("sail")) == (idf(2, 3), idf(1, 3))
    assert [match.idf(term) for term in analyze("hidden elsewhere unheard")] == [idf(0, 3)] * 3
    assert match.weight == pytest.approx(idf(2, 3) + idf(1, 3))
    assert float(match.best(1).scores[0]) < Bm25().gain * match.weight
    index.close()


def test_removed_and_hidden_rows_are_neither_found_nor_counted(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    texts = {row: f"boat {WORDS[row % 5]}" for row in range(20)}
    index.add([doc(row, text) for row, text in texts.items()])
    index.remove(1, [3, 99])
    index.hide(1, [4, 5])
    left = {row: text for row, text in texts.items() if row not in (3, 4, 5)}
    assert_same_ranking(scored(index, "boat red"), by_the_book(left, "boat red"))
    index.show(1, [3, 4])
    assert_same_ranking(scored(index, "boat red"), by_the_book(left | {4: texts[4]}, "boat red"))
    index.close()


def test_a_row_that_is_added_twice_counts_once(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.add([doc(0, "boat"), doc(0, "boat"), doc(1, "boat car")])
    index.add([doc(1, "boat car")])
    assert_same_ranking(scored(index, "boat car"), by_the_book({0: "boat", 1: "boat car"}, "boat car"))
    assert index.state().rows == 2
    index.close()


def test_in_memory_on_disk_and_half_of_each_give_the_same_ranking(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random_ = random.Random(7)
    texts = {row: " ".join(random_.choices(WORDS, k=random_.randint(1, 40))) for row in range(400)}
    gone, hidden = set(random_.sample(range(400), 60)), {1, 2, 3, 399}
    tail = open_empty(tmp_path / "tail", linger_ms=NEVER)
    monkeypatch.setattr(shelf, "_RECENT", 64)
    blocks = open_empty(tmp_path / "blocks", linger_ms=0)
    half = open_empty(tmp_path / "half")
    for start in range(0, 400, 10):
        rows = range(start, start + 10)
        for index in (tail, blocks, half):
            index.add([doc(row, texts[row]) for row in rows])
            index.remove(1, [row for row in rows if row in gone])
        if start == 190:
            half.checkpoint(1)
            half.close()
            half = LexicalIndex.open(tmp_path / "half")
            half.bind(half.known()[0])
    blocks.checkpoint(2)
    segment = LexicalIndex.open(tmp_path / "blocks")
    segment.bind(segment.known()[0])
    everything = (tail, blocks, half, segment)
    for index in everything:
        index.hide(1, sorted(hidden))
    left = {row: text for row, text in texts.items() if row not in gone | hidden}
    for cue in (*WORDS, "red boat in the harbour", "don't sail 3.11.4", "the of"):
        expected = by_the_book(left, cue)
        for index in everything:
            assert_same_ranking(scored(index, cue), expected)
            assert scored(index, cue, k=7) == scored(tail, cue, k=7)
    for index in everything:
        index.close()


def test_texts_that_go_and_come_many_times_leave_the_rest_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "_MIN_GONE", 8)
    monkeypatch.setattr(shelf, "_RECENT", 32)
    index = open_empty(tmp_path, linger_ms=0)
    left = {0: "boat harbour"}
    index.add([doc(0, left[0])])
    for row in range(1, 300):
        index.add([doc(row, f"boat draft {row}")])
        if row > 1:
            index.remove(1, [row - 1])
        left = {0: left[0], row: f"boat draft {row}"}
        assert_same_ranking(scored(index, "boat draft"), by_the_book(left, "boat draft"))
    assert index.state().rows == 2
    index.close()


def test_writers_and_readers_at_once_always_see_their_own_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shelf, "_RECENT", 128)
    index = open_empty(tmp_path, linger_ms=0)
    missed: list[int] = []

    def write(first: int) -> None:
        for row in range(first, first + 150):
            index.add([doc(row, f"common w{row}x", dataset=row % 2)])
            if ranked(index, f"w{row}x", dataset=row % 2) != [row]:
                missed.append(row)
            if row % 10 == 0:
                index.checkpoint(row)

    threads = [Thread(target=write, args=(first,)) for first in range(0, 600, 150)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert missed == []
    assert sorted(ranked(index, "common", k=1000) + ranked(index, "common", k=1000, dataset=0)) == list(range(600))
    index.close()


def test_a_writer_far_ahead_of_the_background_does_the_work_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    analysed: list[str] = []

    def counting(text: str) -> list[str]:
        analysed.append(text)
        return analyze(text)

    monkeypatch.setattr(shelf, "analyze", counting)
    monkeypatch.setattr("mindlog.index.lexical.MAX_WAITING", 4)
    index = open_empty(tmp_path, linger_ms=NEVER)
    index.add([doc(row, "boat") for row in range(4)])
    assert analysed == []
    index.add([doc(4, "boat")])
    assert len(analysed) == 5
    index.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failing_background_is_reported_and_recall_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[IndexState] = []
    failed = Event()

    def fail_once(text: str) -> list[str]:
        monkeypatch.setattr(shelf, "analyze", analyze)
        raise MemoryError("no room")

    def on_state(state: IndexState) -> None:
        told.append(state)
        failed.set()

    monkeypatch.setattr(shelf, "analyze", fail_once)
    index = LexicalIndex.open(tmp_path, linger_ms=0, on_state=on_state)
    index.bind(np.empty(0, np.int64))
    index.add([doc(0, "boat")])
    assert failed.wait(timeout=30)
    index.add([doc(1, "boat car")])
    assert ranked(index, "boat car") == [1, 0]
    assert (told[0].state, "no room" in (told[0].detail or "")) == ("failed", True)
    assert index.state().state == "failed"
    index.close()


def test_a_closed_index_takes_no_writes(tmp_path: Path) -> None:
    index = open_empty(tmp_path)
    index.close()
    with pytest.raises(Closed):
        index.add([doc(0, "boat")])


def test_constants_can_be_chosen(tmp_path: Path) -> None:
    index = LexicalIndex.open(tmp_path, bm25=Bm25(floor=1.2, slope=1e9, gain=1.0))
    index.bind(np.empty(0, np.int64))
    index.add([doc(0, "boat"), doc(1, "boat boat " + "filler " * 50)])
    assert ranked(index, "boat") == [1, 0]
    index.close()


class LexicalMachine(RuleBasedStateMachine):
    """Any order of writes, marks, checkpoints and reopenings agrees with the formula over what is live."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: dict[int, str] = {}
        self.saved: dict[int, str] = {}
        self.hidden: set[int] = set()
        self.next_row = 0

    @initialize(recent=st.sampled_from([4, 32, 1 << 14]))
    def start(self, recent: int) -> None:
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(shelf, "_RECENT", recent)
        self.patch.setattr(shelf, "_MIN_GONE", 3)
        self.directory = tempfile.TemporaryDirectory()
        self.index = open_empty(Path(self.directory.name), linger_ms=0)

    def teardown(self) -> None:
        if hasattr(self, "index"):
            self.index.close()
            self.directory.cleanup()
            self.patch.undo()

    @rule(words=st.lists(st.lists(st.sampled_from(WORDS), max_size=6), min_size=1, max_size=5))
    def add(self, words: list[list[str]]) -> None:
        docs = [doc(self.next_row + i, " ".join(some)) for i, some in enumerate(words)]
        self.next_row += len(docs)
        self.texts |= {item.row: item.text for item in docs}
        self.index.add(docs)

    @precondition(lambda self: self.texts)
    @rule(data=st.data())
    def edit(self, data: st.DataObject) -> None:
        row = data.draw(st.sampled_from(sorted(self.texts)))
        del self.texts[row]
        self.hidden.discard(row)
        self.add([[data.draw(st.sampled_from(WORDS))]])
        self.index.remove(1, [row])

    @precondition(lambda self: self.texts)
    @rule(data=st.data(), hide=st.booleans())
    def forget_or_restore(self, data: st.DataObject, hide: bool) -> None:
        row = data.draw(st.sampled_from(sorted(self.texts)))
        (self.hidden.add if hide else self.hidden.discard)(row)
        (self.index.hide if hide else self.index.show)(1, [row])

    @rule()
    def checkpoint(self) -> None:
        self.index.checkpoint(self.next_row)
        self.saved = dict(self.texts)

    @rule()
    def crash(self) -> None:
        self.index.close()
        self.index = LexicalIndex.open(Path(self.directory.name), linger_ms=0)
        slots, _ = self.index.known()
        assert set(slots.tolist()) == set(self.saved)
        current = {row for row in slots.tolist() if row in self.texts}
        self.index.bind(np.array([row if row in current else -1 for row in slots.tolist()], np.int64))
        self.index.add([doc(row, self.texts[row]) for row in self.texts if row not in current])
        self.index.hide(1, sorted(self.hidden))

    @invariant()
    def agrees_with_the_formula(self) -> None:
        if not hasattr(self, "index"):
            return
        live = {row: text for row, text in self.texts.items() if row not in self.hidden}
        for cue in ("red boat", "the", "汇率", "err-7f3a-99 wind"):
            assert_same_ranking(scored(self.index, cue), by_the_book(live, cue))
        assert self.index.state().rows == len(self.texts)


LexicalMachine.TestCase.settings = settings(max_examples=25, stateful_step_count=15, deadline=None)
TestLexicalMachine = LexicalMachine.TestCase
