"""`eyechart score` on files of replies: what it says of them, and the forms it prints in."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.cli import main

if TYPE_CHECKING:
    from pathlib import Path

Captured = pytest.CaptureFixture[str]
_BOX = "<phrase>{}</phrase><object><patch_index_{:04}><patch_index_{:04}></object>"


@pytest.fixture
def refcoco(tmp_path: Path) -> list[str]:
    """Two expressions in MDETR's layout, and H- lines of which the first is right."""
    images = [
        {"id": k, "file_name": f"{k}.jpg", "height": 320, "width": 320, "caption": name}
        | {"dataset_name": "refcoco"}
        for k, name in enumerate(("cup", "dog"))
    ]
    notes = [{"id": k, "image_id": k, "bbox": [0, 0, 160, 160]} for k in range(2)]
    (tmp_path / "ann.json").write_text(json.dumps({"images": images, "annotations": notes}))
    lines = ["S-0\twhere", f"H-0\t-1\t{_BOX.format('cup', 0, 495)}"]
    lines += [f"H-1\t-1\t{_BOX.format('dog', 528, 1023)}", ""]
    (tmp_path / "all.locout").write_text("\n".join(lines))
    (tmp_path / "short.locout").write_text("\n".join(lines[:2]))
    return ["score", "--benchmark", "refcoco/val", "--data", str(tmp_path / "ann.json")]


def _json(captured: Captured, *words: str) -> Any:
    assert main(words) == 0
    return json.loads(captured.readouterr().out)


def test_lines_that_matched_and_others_are_counted(
    refcoco: list[str], tmp_path: Path, capsys: Captured
) -> None:
    words = [*refcoco, "--replies", str(tmp_path / "all.locout")]
    report = _json(capsys, *words, "--json")
    assert report["coverage"]["matching"] == {
        "form": "H- lines",
        "rows": 3,
        "matched": 2,
        "unmatched": {"no H- line": 1},
    }
    assert report["metrics"]["precision@1"]["value"] == 0.5
    assert main(words) == 0
    assert "H- lines: 3, of which 2 matched; not matched: 1 no H- line" in capsys.readouterr().out


def test_as_official_prints_the_programs_lines_alone(
    refcoco: list[str], tmp_path: Path, capsys: Captured
) -> None:
    assert main([*refcoco, "--replies", str(tmp_path / "all.locout"), "--as-official"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == " Dataset: refcoco - Precision @ 1, mean, all: [0.5, 0.5, 0.5] "
    assert lines[1::2] == [""] * 3
    rec = ["--protocol", "rec", "--dialect", "kosmos-2"]
    assert main([*refcoco, "--replies", str(tmp_path / "all.locout"), "--as-official", *rec]) == 2
    assert "No program prints totals of protocol rec" in capsys.readouterr().err


def test_a_short_file_counts_as_officially_when_it_may(
    refcoco: list[str], tmp_path: Path, capsys: Captured
) -> None:
    words = [*refcoco, "--replies", str(tmp_path / "short.locout")]
    assert main(words) == 2
    assert "1 H- line for 2 samples" in capsys.readouterr().err
    report = _json(capsys, *words, "--allow-short", "--json")
    assert report["metrics"]["precision@1"]["value"] == 1.0
    assert (report["coverage"]["n"], report["coverage"]["left_out"]) == (1, 1)


def test_against_lists_changed_verdicts(
    refcoco: list[str], tmp_path: Path, capsys: Captured
) -> None:
    words = [*refcoco, "--replies", str(tmp_path / "all.locout"), "--out", str(tmp_path / "runs")]
    assert main(words) == 0
    (scores,) = (tmp_path / "runs").glob("*/scores/kosmos2.jsonl")
    capsys.readouterr()
    swapped = (tmp_path / "all.locout").read_text().replace(">cup<", ">mug<")
    (tmp_path / "all.locout").write_text(swapped)
    against = [*words[:-2], "--against", str(scores)]
    found = _json(capsys, *against, "--json")["changes"]
    assert [one["sample_id"] for one in found["changed"]] == ["0"]
    assert found["changed"][0]["before"] == {"status": "ok", "value": 1.0}
    assert found["changed"][0]["now"] == {"status": "malformed", "value": 0.0}
    assert main(against) == 0
    shown = capsys.readouterr().out
    assert "1 verdict of 2 changed: 0 higher, 1 lower" in shown
    assert "ok to malformed" in shown


def test_an_option_that_a_protocol_has_not_is_refused(
    refcoco: list[str], tmp_path: Path, capsys: Captured
) -> None:
    words = [*refcoco, "--replies", str(tmp_path / "all.locout"), "--protocol-arg", "grd=16"]
    assert main(words) == 2
    assert "Protocol kosmos2 has no option 'grd'. Did you mean grid?" in capsys.readouterr().err


def test_listed_protocols_have_formula_and_source(capsys: Captured) -> None:
    for one in _json(capsys, "list", "protocols", "--json"):
        assert one["formula"]
        assert one["source"]
        assert one["about"]
