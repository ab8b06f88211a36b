"""YAML with the line of every key: what is read, what is refused, and where the fault is said to be."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eyechart.errors import DataError, UsageError
from eyechart.io import yaml_text

if TYPE_CHECKING:
    from pathlib import Path


class Leaf(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    size: int = 0
    kind: Literal["round", "square"] | None = None


class Tree(msgspec.Struct, forbid_unknown_fields=True):
    leaves: list[Leaf | str] = []
    by_name: dict[str, Leaf] = {}
    limits: dict[Literal["low", "high"], float] = {}
    pair: tuple[int, int] | None = None
    free: dict[str, Any] = {}
    title: str = ""


def _fault(text: str) -> str:
    with pytest.raises(DataError) as caught:
        yaml_text.load(text, Tree, name="tree.yaml")
    return str(caught.value)


def test_values_come_as_their_types() -> None:
    tree = yaml_text.load(
        "title: 'yes'\nleaves:\n  - oak\n  - {name: elm, size: 3, kind: round}\n"
        "by_name: {a: {name: b}}\nlimits: {low: 1, high: 1e-3}\npair: [1, 2]\n",
        Tree,
    )
    assert tree == Tree(
        ["oak", Leaf("elm", 3, "round")],
        {"a": Leaf("b")},
        {"low": 1.0, "high": 0.001},
        (1, 2),
        title="yes",
    )


def test_free_values_keep_to_json() -> None:
    tree = yaml_text.load(
        "free:\n  at: 2026-12-01\n  small: 1e-3\n  quoted: '1e-3'\n  no: off\n  5: =\n  none: ~\n",
        Tree,
    )
    assert tree.free == {
        "at": "2026-12-01",
        "small": 0.001,
        "quoted": "1e-3",
        "no": False,
        "5": "=",
        "none": None,
    }


def test_merged_mappings_give_way_to_own_keys() -> None:
    text = (
        "by_name:\n  a: &a {name: x, size: 1}\n  b: &b {name: y, kind: square}\n"
        "  c:\n    size: 9\n    <<: [*a, *b]\n    name: z\n"
    )
    tree = yaml_text.load(text, Tree)
    # of several the first has its way, and what stands beside the merge before all
    assert tree.by_name["c"] == Leaf("z", 9, "square")
    assert tree.by_name["a"] == Leaf("x", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "tree.yaml: is empty; a mapping is expected, with the keys leaves, by_name"),
        ("# nothing\n", "tree.yaml: is empty"),
        ("just text", "tree.yaml, line 1: Expected `object`, got `str`; a mapping is expected"),
        ("# a list\n- a\n", "tree.yaml, line 2: Expected `object`, got `array`"),
        ("title: a\ntitle: b\n", "tree.yaml, line 2: the key 'title' stands twice."),
        (
            "title: a\ntitel: b\n",
            "line 2: unknown key 'titel'. Did you mean title? Known here: by_",
        ),
        (
            "leaves:\n  - oak\n  - name: elm\n    sise: 1\n",
            "line 4: unknown key 'sise'. Did you mean size? Known in leaves[1]: kind, name, size.",
        ),
        (
            "leaves:\n  - oak\n  - name: elm\n    size: big\n",
            "line 4: Expected `int`, got `str` - at `leaves[1].size`.",
        ),
        ("leaves:\n  - {size: 1}\n", "line 2: leaves[0].name is missing."),
        (
            "by_name:\n  a:\n    name: [x]\n",
            "line 3: Expected `str`, got `array` - at `by_name.a.name`.",
        ),
        (
            "by_name:\n  a:\n    name: x\n    kind: rund\n",
            "line 4: 'rund' is not known here. Did you mean round? Known: round, square - at "
            "`by_name.a.kind`.",
        ),
        ("limits:\n  hihg: 1\n", "line 2: unknown key 'hihg'. Did you mean high? Known in limits"),
        ("leaves:\n  a: 1\n", "line 2: Expected `array`, got `object` - at `leaves`."),
        ("by_name:\n  - a\n", "line 2: Expected `object`, got `array` - at `by_name`."),
        ("pair: [1, x]\n", "line 1: Expected `int`, got `str` - at `pair[1]`."),
        ("title: x\n\tpair: [1]\n", "YAML is indented with spaces, never with tabs."),
        ("\ttitle: x\n", "line 1: not YAML: "),
        ("title: 'x\n", "not YAML: "),
        ("leaves: [a\n", "not YAML: "),
        ("title: a\x07b\n", "line 1: a character that YAML does not take, '\\x07'."),
        ("title: a\n---\ntitle: b\n", "line 2: a second document begins here; one is read."),
        ("title: !!python/name:os.system x\n", "line 1: the tag tag:yaml.org,2002:python/name"),
        ("free: {a: !own x}\n", "line 1: the tag !own is not read here."),
        ("free: {a: !!int x}\n", "line 1: 'x' is no int."),
        ("free:\n  a: .nan\n", "line 2: .nan is not a finite number."),
        ("free:\n  a: 1e999\n", "line 2: 1e999 is not a finite number."),
        ("free: &a [*a]\n", "line 1: *a stands within what it stands for."),
        ("free: {a: *b}\n", "line 1: the anchor &b that *b stands for is nowhere above."),
        ("? [a]\n: b\n", "line 1: a key must be a single word or text."),
        ("free:\n  <<: 3\n", "line 2: << takes in a mapping, or a list of them."),
    ],
)
def test_a_fault_names_file_line_and_key(text: str, message: str) -> None:
    said = _fault(text)
    assert said.startswith("tree.yaml")
    assert message in said


def test_the_error_may_be_of_another_kind() -> None:
    with pytest.raises(UsageError, match=r"a\.yaml, line 1: unknown key"):
        yaml_text.load("x: 1", Tree, name="a.yaml", error=UsageError)


def test_the_file_itself(tmp_path: Path) -> None:
    path = tmp_path / "tree.yaml"
    path.write_bytes(b"\xef\xbb\xbftitle: \xc3\xa9\r\npair: [1, 2]\r\n")
    assert yaml_text.load(path, Tree) == Tree(title="é", pair=(1, 2))
    path.write_bytes(b"title: a\npair: [\xff]\n")
    with pytest.raises(DataError, match=r"tree\.yaml, line 2: not UTF-8"):
        yaml_text.load(path, Tree)
    with pytest.raises(DataError, match="no such file"):
        yaml_text.load(tmp_path / "none.yaml", Tree)
    with pytest.raises(DataError, match="is a folder"):
        yaml_text.load(tmp_path, Tree)


@pytest.mark.parametrize(
    "text",
    [
        "free:\n  a: &a [x, x, x, x, x, x, x, x, x, x]\n"
        + "".join(
            f"  {b}: &{b} [{', '.join([f'*{a}'] * 10)}]\n"
            for a, b in zip("abcdefgh", "bcdefghi", strict=True)
        ),
        "[" * 200_000,
        "free: " + "{a: " * 5000,
        "free: [" + "[]," * 200_000 + "]",
        "title: " + "x" * 2_000_000,
        "? " * 100_000,
        "- " * 100_000,
    ],
    ids=["aliases", "brackets", "braces", "values", "length", "keys", "dashes"],
)
def test_what_is_out_of_bounds_is_refused_soon(text: str) -> None:
    before = time.process_time()
    assert _fault(text)
    assert time.process_time() - before < 5


def test_lines_of_parts() -> None:
    document = yaml_text.read("title: a\nleaves:\n  - oak\n  - name: elm\n", Tree, name="t")
    assert document.line("leaves") == 2
    assert document.line("leaves", 1) == 4
    assert document.line("leaves", 1, "size") == 4
    assert document.line() == 1
    assert str(document.fault("is dead.", "leaves", 1)) == "t, line 4: leaves[1]: is dead."


_PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**12), 10**12)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(st.dictionaries(st.text(), _PLAIN, max_size=4))
def test_what_is_written_reads_back_equal(value: dict[str, Any]) -> None:
    text = yaml_text.write({"free": value, "title": "x"}, "a\nhostile: comment\x00")
    assert text.startswith("# a hostile: comment\n")
    assert yaml_text.load(text, Tree).free == value


def test_a_prompt_of_several_lines_is_written_as_a_block() -> None:
    text = yaml_text.write({"title": "one\ntwo {x}"})
    assert text == "title: |-\n  one\n  two {x}\n"


def test_yaml_is_loaded_where_it_is_used() -> None:
    import subprocess

    code = (
        "import sys, eyechart.presets, eyechart.io.yaml_text; eyechart.presets.names(); "
        "sys.exit('yaml' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
