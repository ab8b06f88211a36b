"""The probe's parts: scenes, rules of resizing, the bootstrap, and whose style a reply is in."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from eyechart.chart import single
from eyechart.chart.scene import COLOURS
from eyechart.io.resizing import Resize
from eyechart.runs.probe import rules
from eyechart.runs.probe.doubt import Bootstrap
from eyechart.runs.probe.kinship import kinship
from eyechart.runs.probe.readings import syntaxes
from eyechart.runs.probe.rules import Rule


@settings(max_examples=12, deadline=None)
@given(st.integers(-(2**40), 2**40), st.integers(0, single.MOST - 1))
def test_the_true_box_is_that_of_the_pixels(seed: int, index: int) -> None:
    scene = single.compose(seed, index)
    picture = np.asarray(Image.open(io.BytesIO(single.read(seed, index))))
    assert picture.shape == (scene.height, scene.width, 3)
    for figure in (scene.target, *scene.others):
        ys, xs = np.nonzero((picture == COLOURS[figure.colour]).all(axis=2))
        assert figure.box == (xs.min(), ys.min(), xs.max() + 1, ys.max() + 1)
    # one thing a colour: the expression is unique
    colours = [one.colour for one in (scene.target, *scene.others)]
    assert len(set(colours)) == len(colours)
    assert scene.expression == f"the {scene.target.colour} {scene.target.shape}"


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(0, single.MOST - 1))
def test_the_object_is_large_unequal_and_elsewhere_in_another_order(seed: int, index: int) -> None:
    scene = single.compose(seed, index)
    x1, y1, x2, y2 = (
        at / side
        for at, side in zip(scene.target.box, (scene.width, scene.height) * 2, strict=True)
    )
    across, down = x2 - x1, y2 - y1
    assert 0.03 < across * down < 0.12
    assert max(across, down) > 1.15 * min(across, down)
    # read with y first it is another box
    wide, high = min(x2, y2) - max(x1, y1), min(y2, x2) - max(y1, x1)
    both = max(0.0, wide) * max(0.0, high)
    assert both / (2 * across * down - both) < 0.5


def test_the_sizes_are_odd_and_of_every_sort() -> None:
    for number in (12, 16, 24):
        sizes = single.SIZES[:number]
        areas = [width * height for width, height in sizes]
        assert len(set(sizes)) == number
        assert sum(area > 1_003_520 for area in areas) >= number // 3
        assert 2 <= sum(area > 2_400_000 for area in areas) <= number // 3
        assert sum(area < 260_000 for area in areas) >= 3
        assert any(width > 2.5 * height for width, height in sizes)
        assert any(height > 2.5 * width for width, height in sizes)
    assert not any(side % 28 == 0 or side % 32 == 0 for size in single.SIZES for side in size)


def test_there_is_no_scene_beyond_the_last() -> None:
    with pytest.raises(IndexError, match="0 to 23"):
        single.compose(0, 24)


# ---- rules


def test_what_a_rule_makes_of_a_picture() -> None:
    tried = [Rule("smart28", 1_003_520), Rule("longest", 1568), Rule("longest", 2048)]
    able, seen = rules.seen(tried, [(1999, 1203), (333, 517)])
    # sqrt(1999 * 1203 / 1003520) = 1.548; 1999 / 1.548 = 1291.3, 46 * 28; 777.1, 27 * 28
    assert seen[0].tolist() == [[1288, 756], [336, 504]]
    # 1203 * 1568 / 1999 = 943.6
    assert seen[1].tolist() == [[1568, 944], [333, 517]]
    # the third changes neither, and is no other hypothesis than pixels
    assert able == tried[:2]


def test_the_plainest_number_is_named() -> None:
    near = [Rule("smart28", patches * 784) for patches in range(1265, 1300)]
    assert rules.plainest(near) == Rule("smart28", 1280 * 784)
    assert rules.plainest([Rule("longest", side) for side in range(1553, 1585)]).value == 1568
    assert rules.plainest([Rule("longest", side) for side in range(990, 1011)]).value == 1000


@pytest.mark.parametrize(
    "rule", [Rule("smart28", 1_003_520), Rule("smart32", 99 * 1024), Rule("square", 448)]
)
def test_fine_rules_hold_the_plain_numbers_near_and_each_is_spelled(rule: Rule) -> None:
    found = rules.fine(rule)
    assert rule in found
    assert {one.kind for one in found} == {rule.kind}
    assert len({one.value for one in found}) == len(found)
    for one in found[:: len(found) // 20]:
        assert Resize.parse(one.spelled).apply((1999, 1203))


def test_a_square_of_a_scale_s_side_is_no_rule() -> None:
    squares = [one.value for one in rules.coarse() if one.kind == "square"]
    assert not any(975 <= value <= 1048 for value in squares)
    assert min(squares) < 300 < 2000 < max(squares)


def test_a_bound_that_no_picture_reaches_is_the_checkpoints() -> None:
    small = [(640, 480)]
    assert rules.unlimited(Rule("smart28", 500_000), small) == Rule("smart28", 12_845_056)
    assert rules.unlimited(Rule("smart28", 200_000), small) is None
    assert rules.unlimited(Rule("longest", 4000), small) is None


# ---- doubt


def test_the_bootstrap_draws_scenes_and_not_replies() -> None:
    # two replies about scene 5, one about scene 9
    bootstrap = Bootstrap(np.array([5, 5, 9]))
    low, high = bootstrap.interval(np.array([[0.3, 1.0], [0.3, 1.0], [0.3, 0.0]]))
    assert (low[0], high[0]) == pytest.approx((0.3, 0.3))
    # a quarter of the draws has only the one, a quarter only the other
    assert (low[1], high[1]) == (0.0, 1.0)


def test_the_bootstrap_s_interval_is_that_of_the_mean() -> None:
    leads = np.array([[float(scene % 2)] for scene in range(16)])
    low, high = Bootstrap(np.arange(16)).interval(leads)
    # the mean of 16 coin flips: 0.5 within 1.96 * 0.125
    assert low[0] == pytest.approx(0.255, abs=0.03)
    assert high[0] == pytest.approx(0.745, abs=0.03)


# ---- whose style


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("<ref>the red oval</ref><box>[[12, 40, 300, 512]]</box>", "internvl"),
        ("<ref>the red oval</ref><box>(12,40),(300,512)</box>", "qwen-vl"),
        (
            "<|object_ref_start|>it<|object_ref_end|><|box_start|>(12,40),(300,512)<|box_end|>",
            "qwen2-vl",
        ),
        ("<|ref|>the oval<|/ref|><|det|>[[580, 270, 999, 900]]<|/det|>", "deepseek-vl2"),
        ("<|begin_of_box|>[[120,340,560,780]]<|end_of_box|>", "glm-4.1v"),
        ("the oval<loc_54><loc_375><loc_906><loc_707>", "florence-2"),
        ("<loc0722><loc0047><loc0895><loc0378> oval", "paligemma"),
        ("<p>the oval</p> {<10><20><30><40>}", "minigpt-v2"),
        ("<bin_102> <bin_145> <bin_540> <bin_876>", "ofa"),
    ],
)
def test_a_reply_is_kin_to_the_family_that_writes_so(text: str, family: str) -> None:
    found = kinship(text, [name for name in syntaxes() if not name.startswith("json,")])
    assert max(found, key=lambda name: found[name]) == family


def test_kinship_is_quick_on_any_text() -> None:
    assert max(kinship("<" * 10**6, ["internvl", "kosmos-2"]).values()) == 0
