from __future__ import annotations

import html

from hypothesis import given
from hypothesis import strategies as st

from portal.templatetags.names import breakable


def test_a_name_may_break_at_its_joints() -> None:
    assert breakable("board_minutes-2019 (scan).pdf") == "board_<wbr>minutes-<wbr>2019 (scan).<wbr>pdf"
    assert breakable("<b>.md") == "&lt;b&gt;.<wbr>md"
    assert breakable("E4304") == "E4304"


@given(st.text(st.characters(exclude_characters="\0"), max_size=40))
def test_breaks_change_nothing_that_is_read(name: str) -> None:
    assert html.unescape(breakable(name).replace("<wbr>", "")) == html.unescape(html.escape(name))
