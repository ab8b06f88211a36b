"""A user's own preset file: found by its name, and its mistakes named with file, line and key."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart import presets
from eyechart.errors import DataError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

GOOD = """\
# my own
name: mine
about: My model
dialect: json:0-1000
seen: smart:factor=28,min=3136,max=12845056
image_policy: max-pixels=1000000
prompts:
  ground:
    user: "Find {expression}. Write {{x}}."
    source: me
  count:
    user: "{question}"
    generation: {max_tokens: 8}
generation:
  temperature: 0
published:
  - model: mine-7B
    protocol: rec
    metric: acc@0.5
    mark: A
    source: me
    values:
      refcoco/val: 91.5
"""


def _write(folder: Path, text: str) -> str:
    path = folder / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_a_file_is_found_by_its_ending(tmp_path: Path) -> None:
    preset = presets.find(_write(tmp_path, GOOD))
    assert preset.name == "mine"
    assert preset.settings("count") == {"temperature": 0, "max_tokens": 8}
    assert preset.published[0].values == {"refcoco/val": 91.5}
    (tmp_path / "mine.yaml").rename(tmp_path / "other.YML")
    assert presets.find(str(tmp_path / "other.YML")) == preset


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("dialect: json:0-1000", "dialect: jsn:0-1000", "line 4: dialect: No dialect is named"),
        (
            "dialect: json:0-1000",
            "dialct: json:0-1000",
            "line 4: unknown key 'dialct'. Did you mean",
        ),
        ("dialect: json:0-1000\n", "", "dialect is missing."),
        ("about: My model", "about: ''", "line 3: about: must not be empty."),
        ("factor=28", "factor=x", "line 5: seen: "),
        ("max-pixels=1000000", "max-pixel=1", "line 6: image_policy: "),
        ("  ground:", "  grond:", "line 8: unknown key 'grond'. Did you mean ground?"),
        (
            "{expression}",
            "{expresion}",
            "line 9: prompts.ground.user: unknown slot {expresion}. Did you mean expression? "
            "The task ground fills: {expression}.",
        ),
        ("{{x}}", "{x", "line 9: prompts.ground.user: a brace too many or too few"),
        ("{expression}", "{expression!r}", "line 9: prompts.ground.user: a slot with a format"),
        (
            "{expression}",
            "it",
            "line 9: prompts.ground.user: without {expression} every sample would be asked the same",
        ),
        (
            "    source: me\n  count",
            "    system: ''\n  count",
            "line 10: prompts.ground.system: must",
        ),
        ('user: "{question}"', "usr: x", "line 12: unknown key 'usr'. Did you mean user?"),
        ("mark: A", "mark: B", "line 20: 'B' is not known here. Known: A, R, S - at `published[0]"),
        ("    source: me\n    values", "    values", "published[0].source is missing."),
        (
            "refcoco/val: 91.5",
            "refcoco/val: 915",
            "line 23: published[0].values.refcoco/val: 915 lies outside 0 to 100 (percent).",
        ),
        ("refcoco/val: 91.5", "refcoco/val: high", "line 23: Expected `float`, got `str`"),
        (
            "temperature: 0",
            "stream: true",
            "line 15: generation.stream: is no setting of generation.",
        ),
        ("{max_tokens: 8}", "{n: 8}", "line 13: prompts.count.generation.n: is no setting"),
        ("temperature: 0", "temperature: .inf", "line 15: .inf is not a finite number."),
        ("generation:\n  temperature: 0", "generation: [0]", "line 14: Expected `object`, got"),
    ],
)
def test_a_mistake_is_named_where_it_stands(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in GOOD
    path = _write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(DataError) as caught:
        presets.find(path)
    assert str(caught.value).startswith(f"{path}, line ")
    assert message in str(caught.value)


def test_a_name_that_is_not_known() -> None:
    with pytest.raises(UsageError, match=r"No preset is named 'Qwen25-VL'\. Did you mean qwen2"):
        presets.find("Qwen25-VL")
    with pytest.raises(UsageError, match=r"There are: claude, cogvlm-grounding"):
        presets.find("../presets/gpt")


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.yaml: no such file"):
        presets.find(str(tmp_path / "none.yaml"))


def test_a_preset_made_in_code_is_written_and_found_again(tmp_path: Path) -> None:
    made = presets.Preset(
        name="probed",
        about="what the probe found: at http://127.0.0.1",
        dialect="json:0-1000,yxyx",
        prompts={"ground": presets.Prompt("Locate {expression}\nas JSON: {{}}", source="probe")},
        generation={"temperature": 1e-07, "stop": ["\n", "no"], "seed": 3},
        notes=("yes", "- 1", "# not a comment", "a: b"),
    )
    path = _write(tmp_path, presets.dump(made, "found by eyechart probe\nname: hostile"))
    assert presets.find(path) == made
