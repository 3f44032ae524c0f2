"""Plain text has no markup, nothing hidden and a bound, whatever comes in."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindlog.providers.plaintext import line, plain

PIECES = [
    *(
        "<b>",
        "</b>",
        "<script>",
        "</script>",
        "<!--",
        "-->",
        "<![",
        "<![CDATA[",
        "]]>",
        "<!x",
        "<?",
        "<svg",
        "<a href='",
    ),
    *("&lt;", "&amp;", "&#0;", "&#x202e;", "&#xd800;", "&", "</", ">", '"', "'", "a", " ", "\n", "\x00", "茶"),
]
MARKUP = st.lists(st.sampled_from(PIECES) | st.text(max_size=5), max_size=40).map("".join)


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("plain", "plain"),
        ("a &amp; b &lt; c", "a & b < c"),
        ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
        ("<p>one</p><p>two<br/>three</p>", "one\ntwo\nthree"),
        ("a <strong>b</strong>c", "a bc"),
        ("x<script>alert('<p>')</script>y<style>p{}</style>z", "xyz"),
        ("x<script>never closed", "x"),
        ("x<svg><script>s</script><text>t</text></svg>y", "xy"),
        ("&amp;lt;img src=x onerror=alert(1)&amp;gt;tea", "tea"),
        ("tea <img src=x onerror=alert(1)", "tea img src=x onerror=alert(1)"),
        ("&lt;<!--&lt;&#x202e;<!--", "!--!--"),
        ("<img src='data:" + "A" * 5000 + "'>tea", ""),
        ("a\r\n\t b\u2028c", "a\nb c"),
        ("pass\u200bword \u202eright\u202c می\u200cخواهم", "password right می\u200cخواهم"),
        ("\ud800tea", "tea"),
    ],
)
def test_it_reads_as_a_reader_of_the_page_would(text, read):
    assert plain(text, 200) == read


@given(MARKUP, st.integers(1, 50))
def test_nothing_gets_through_and_nothing_is_too_long(text, limit):
    for read in (plain(text, limit), line(text, limit)):
        assert len(read) <= limit
        assert not re.search(r"<[a-zA-Z/!?]", read)
        assert all(
            each == "\n" or each.isprintable() or each in "\xa0\u200c\u200d" or ord(each) > 0x7F for each in read
        )
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", read)
        read.encode()
    assert "\n" not in line(text, limit)


def test_the_worst_markup_is_read_in_bounded_work():
    for piece in ("<", "<!--", "<a ", "&", "<script>", "</", "<![", '<a b="', "<a b='>", "<!-- >", "<a <b> "):
        assert len(plain(piece * 10_000, 2000)) <= 2000
