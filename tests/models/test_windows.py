import itertools

from hypothesis import given
from hypothesis import strategies as st

from mindlog.models.windows import char_spans, char_windows, pieces, token_ranges


@given(count=st.integers(0, 5000), capacity=st.integers(2, 300), data=st.data())
def test_token_ranges_cover_every_token_within_the_capacity_and_share_the_overlap(count, capacity, data):
    overlap = data.draw(st.integers(0, capacity // 2))
    ranges = token_ranges(count, capacity=capacity, overlap=overlap)
    assert ranges[0][0] == 0
    assert ranges[-1][1] == count
    assert all(end - start <= capacity for start, end in ranges)
    assert all(before[1] - after[0] == overlap for before, after in itertools.pairwise(ranges))
    lengths = [end - start for start, end in ranges]
    assert max(lengths) - min(lengths) <= 1


def test_a_text_up_to_the_capacity_is_one_range():
    assert token_ranges(126, capacity=126, overlap=16) == [(0, 126)]
    assert len(token_ranges(127, capacity=126, overlap=16)) == 2


@given(text=st.text(alphabet="ab \n字", max_size=400), size=st.integers(2, 50))
def test_pieces_join_to_the_text_and_none_is_longer_than_the_size(text, size):
    spans = list(pieces(text, size))
    assert "".join(text[start:end] for start, end in spans) == text
    assert all(end - start <= size for start, end in spans)


def test_pieces_end_after_white_space_where_there_is_some():
    text = "alpha beta gamma delta"
    assert [text[start:end] for start, end in pieces(text, 12)] == ["alpha beta ", "gamma delta"]


@given(text=st.text(alphabet="ab ", max_size=400), size=st.integers(10, 60))
def test_character_windows_cover_the_text_within_the_size(text, size):
    windows = char_windows(text, size=size, overlap=4)
    assert windows[0][0] == 0
    assert windows[-1][1] == len(text)
    assert all(end - start <= size for start, end in windows)
    assert all(after[0] <= before[1] for before, after in itertools.pairwise(windows))


@given(
    gaps=st.lists(st.integers(0, 9), min_size=1, max_size=200), capacity=st.integers(4, 40), overlap=st.integers(0, 2)
)
def test_character_spans_of_token_windows_cover_the_text_without_gaps(gaps, capacity, overlap):
    starts = [sum(gaps[: index + 1]) for index in range(len(gaps))]
    length = starts[-1] + 3
    spans = char_spans(token_ranges(len(starts), capacity=capacity, overlap=overlap), starts, length)
    assert spans[0][0] == 0
    assert spans[-1][1] == length
    assert all(after[0] <= before[1] for before, after in itertools.pairwise(spans))


def test_a_text_without_tokens_is_one_span():
    assert char_spans(token_ranges(0, capacity=10, overlap=1), [], 5) == ((0, 5),)
