"""The HTML page: one inert file, whole for readers of any kind, the same bytes each time."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

from eyechart.report import html
from eyechart.report.sample import SampleView
from eyechart.report.schema import Report

if TYPE_CHECKING:
    from collections.abc import Callable

VOID = {"meta", "rect", "img", "br", "link", "input"}
FIXED = {"task", "state", "status", "kind", "role", "type", "unit"}


class _Page(HTMLParser):
    """Collects tags, attributes and text, and holds that tags are closed in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.open: list[str] = []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            assert self.open.pop() == tag

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def _mapped(value: Any, change: Callable[[str], str], field: str = "") -> Any:
    """The value with every string changed, keys of free dictionaries too."""
    if isinstance(value, str):
        return value if field in FIXED else change(value)
    if isinstance(value, dict):
        return {key: _mapped(inner, change, key) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_mapped(inner, change, field) for inner in value]
    return value


def _hostile(text: str) -> str:
    return f"{text}<script>alert(1)</script>\"'><img src=http://e.vil/ onerror=x>&\x1b\u202e{{{{7*7}}}}"


def _page(report: Report, views: list[SampleView], command: str = "eyechart run a b") -> str:
    return html.page(report, views, command)


def test_no_string_of_any_field_becomes_markup(report: Report, views: list[SampleView]) -> None:
    plain = _Page(_page(report, views))
    changed = msgspec.convert(_mapped(msgspec.to_builtins(report), _hostile), Report)
    # the primary metric's name was changed with the others; the figures follow it
    metrics = {_hostile(name): figure for name, figure in report.metrics.items()}
    slices = [
        msgspec.structs.replace(one, metrics={_hostile(k): f for k, f in one.metrics.items()})
        for one in changed.slices
    ]
    coverage = msgspec.structs.replace(
        changed.coverage,
        errors={_hostile("e"): 1, "timeout": 2},
        unread={_hostile("u"): 1, "other": 2},
        flags={_hostile("f"): 1},
    )
    changed = msgspec.structs.replace(changed, metrics=metrics, slices=slices, coverage=coverage)
    changed_views = [
        msgspec.convert(_mapped(msgspec.to_builtins(view), _hostile), SampleView) for view in views
    ]
    page = _page(changed, changed_views, _hostile("eyechart"))
    parsed = _Page(page)
    assert [tag for tag, _ in parsed.tags] == [tag for tag, _ in plain.tags]
    assert not parsed.all("script")
    assert not parsed.all("img")
    assert not [a for _, attributes in parsed.tags for a in attributes if a.startswith("on")]
    assert "\x1b" not in page
    assert "\u202e" not in page
    assert "{{7*7}}" in page
    # each hostile place is still there to be read
    assert "".join(parsed.text).count("<script>alert(1)</script>") > 60


def test_every_nasty_text_is_escaped_and_the_page_is_utf8(
    report: Report, views: list[SampleView]
) -> None:
    page = _page(report, views)
    page.encode()
    assert "<script" not in page
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;" in page


def test_the_page_asks_nobody(report: Report, views: list[SampleView]) -> None:
    page = _page(report, views)
    parsed = _Page(page)
    for _, attributes in parsed.tags:
        assert not {"src", "href", "style", "srcset", "action"} & attributes.keys()
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    policy = parsed.all("meta")[1]["content"]
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    )


def test_same_values_same_bytes(report: Report, views: list[SampleView]) -> None:
    assert _page(report, views) == _page(report, views)


def test_headings_and_tables_are_semantic(report: Report, views: list[SampleView]) -> None:
    parsed = _Page(_page(report, views))
    assert parsed.open == []
    levels = [int(tag[1]) for tag, _ in parsed.tags if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(later - earlier <= 1 for earlier, later in pairwise(levels))
    assert len(parsed.all("caption")) == len(parsed.all("table")) > 5
    assert {th.get("scope") for th in parsed.all("th")} == {"col", "row"}
    assert parsed.all("html")[0]["lang"] == "en"


def test_the_page_says_what_a_number_needs(report: Report, views: list[SampleView]) -> None:
    text = " ".join("".join(_Page(_page(report, views)).text).split())
    for part in (
        "Qwen2.5-VL-7B-Instruct on refcoco/val",
        "74.3 % acc@0.5 95 % interval 73.4 to 75.2; n 10,834; protocol rec version 1",
        "Incomplete: some samples have no answer yet.",
        "7 % of boxes lie outside the picture",
        "Locate {expression} in the image.",
        "temperature=0.0, max_tokens=512, seed=1",
        "perAnswerType.yes/no81.2",
        "nested.pixels.max12845056",
        "eyechart run a b",
        "fingerprint0123456789abcdef0123456789abcdef",
        "rate_limit (HTTP 429) after 5 attempts",
        "Boxes as numbers, xyxy-pixels: [1.00, 2.00, 3.00, 4.00]",
    ):
        assert part in text


def test_every_line_of_the_official_program_is_there(report: Report, nasty: str) -> None:
    lines = [f"kind {k} : {k}.00" for k in range(500)] + ["<b>" + nasty]
    block = {"overall": 74.26, "kinds": {"kind 0": 0.0}, "empty": {}, "printed": lines}
    parsed = _Page(_page(msgspec.structs.replace(report, official=block), []))
    text = "".join(parsed.text)
    assert "\n".join(lines[:500]) + "\n<b><script>alert" in text
    assert not parsed.all("b")
    flat = " ".join(text.split())
    assert "overall74.26" in flat
    assert "kinds.kind 00.0" in flat
    assert '["kind' not in flat
    assert "empty" not in flat


def test_status_shares_fill_the_bar(report: Report) -> None:
    parsed = _Page(_page(report, []))
    pieces = [r for r in parsed.all("rect") if r.get("height") == "4" and "s" in str(r["class"])]
    pieces = [r for r in pieces if re.fullmatch(r"s\d", str(r["class"]))]
    assert len(pieces) == 5
    at = 0.0
    for piece in pieces:
        assert abs(float(str(piece["x"])) - at) < 0.01
        at += float(str(piece["width"]))
    assert abs(at - 100) < 0.01


def test_interval_bars_stay_on_the_track(report: Report) -> None:
    edge = msgspec.structs.replace(report.metrics["iou"], value=1.0, low=-0.1, high=1.2)
    page = _page(msgspec.structs.replace(report, metrics={"acc@0.5": edge}, slices=[]), [])
    bars = [r for r in _Page(page).all("rect") if r.get("class") in {"band", "point"}]
    assert [(r["class"], r["x"], r["width"]) for r in bars] == [
        ("band", "0.00", "100.00"),
        ("point", "99.40", "0.6"),
    ] * 2


def test_long_texts_are_shortened(report: Report, views: list[SampleView]) -> None:
    long = msgspec.structs.replace(views[0].replies[0], text="x" * 2_000_000)
    page = _page(report, [msgspec.structs.replace(views[0], replies=(long,))])
    assert len(page) < 100_000
    assert "2,000,000 characters in all" in page


def test_a_report_read_back_gives_the_same_page(report: Report) -> None:
    written = json.loads(json.dumps(msgspec.to_builtins(report)).replace("\\ud800", ""))
    first = msgspec.convert(written, Report)
    again = msgspec.json.decode(msgspec.json.encode(first), type=Report)
    assert _page(first, []) == _page(again, [])
