"""How a model writes boxes is declared: by a dialect, a preset, a rule; else nothing is asked."""

from __future__ import annotations

import base64
import io
import json
from typing import TYPE_CHECKING

import pytest
from PIL import Image as Pillow
from PIL import ImageDraw
from tests.fault_server import Act, Asked, FaultServer, say

import eyechart
from eyechart.cli import main
from eyechart.errors import UsageError
from eyechart.io.resizing import smart_resize

if TYPE_CHECKING:
    from pathlib import Path

# one red thing in each picture, and pictures of odd sizes
PICTURES = {
    "a": ((333, 517), (40, 60, 200, 300)),
    "b": ((1280, 413), (700, 30, 1200, 390)),
    "c": ((1999, 1203), (100, 500, 900, 1100)),
}


@pytest.fixture
def things(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    folder.mkdir()
    rows = []
    for name, (size, box) in PICTURES.items():
        picture = Pillow.new("RGB", size, "white")
        ImageDraw.Draw(picture).rectangle(
            (box[0], box[1], box[2] - 1, box[3] - 1), fill=(255, 0, 0)
        )
        picture.save(folder / f"{name}.png")
        rows.append({"id": name, "image": f"{name}.png", "expression": "the red box", "box": box})
    path = folder / "things.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def look(asked: Asked) -> tuple[tuple[int, int], tuple[int, int, int, int]]:
    """The size of the picture that came, and where it is red."""
    data = base64.b64decode(asked.data_url.partition(",")[2])
    picture = Pillow.open(io.BytesIO(data)).convert("RGB")
    red = picture.split()[1].point(lambda green: 255 if green < 128 else 0)
    box = red.getbbox()
    assert box is not None
    return picture.size, box


def sees_what_is_sent(asked: Asked) -> Act:
    _, box = look(asked)
    return say(json.dumps([{"bbox_2d": box, "label": "thing"}]))


def resizes(most: int) -> object:
    """A server whose model resizes what comes as Qwen2.5-VL does, and writes those pixels."""

    def answer(asked: Asked) -> Act:
        (width, height), (x1, y1, x2, y2) = look(asked)
        wide, high = smart_resize(width, height, 28, 3136, most)
        across, down = wide / width, high / height
        box = [round(x1 * across), round(y1 * down), round(x2 * across), round(y2 * down)]
        return say("```json\n" + json.dumps([{"bbox_2d": box}]) + "\n```")

    return answer


def test_undeclared_boxes_are_refused_before_anything_is_asked(
    things: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with FaultServer(sees_what_is_sent) as server:
        words = ["run", "openai:m", str(things), "--base-url", server.url]
        words += ["--out", str(tmp_path / "runs")]
        assert main(words) == 2
        undeclared = " ".join(capsys.readouterr().err.split())
        assert main([*words, "--dialect", "qwen2.5-vl"]) == 2
        unknown = " ".join(capsys.readouterr().err.split())
        assert server.asked == []
    for option in ("--dialect", "--preset", "probe"):
        assert option in undeclared
    for option in ("--dialect", "--image-policy", "--seen", "probe"):
        assert option in unknown
    assert not (tmp_path / "runs").exists()


def test_a_policy_decides_what_is_sent_and_boxes_are_turned_back(
    things: Path, tmp_path: Path
) -> None:
    with FaultServer(sees_what_is_sent) as server:
        run = eyechart.run(
            "openai:m", str(things), dialect="qwen2.5-vl", image_policy="multiple-of=28",
            base_url=server.url, out=tmp_path / "runs",
        )  # fmt: skip
        sizes = {look(asked)[0] for asked in server.asked}
    # 333/28 = 11.9, 517/28 = 18.5 (to the even 18); 1280/28 = 45.7, 413/28 = 14.75; and the third
    # has 2.4 million pixels, above 1,003,520: scaled by sqrt(1003520 / (1999 * 1203)) = 0.646
    assert sizes == {(336, 504), (1288, 420), (1288, 756)}
    assert {reply.sent_size for reply in run.replies()} == sizes
    report = run.report
    assert report.metrics["acc@0.5"].value == 1.0
    assert report.metrics["mean_iou"].value > 0.99
    assert (report.reading.seen, report.asked.images) == ("sent", "multiple-of=28")
    # 28 * 28 * 1280 is what multiple-of=28 allows, so saying so is the same run
    again = eyechart.api.order("openai:m", str(things), image_policy="multiple-of=28")
    assert again.image_policy == "multiple-of=28"


def test_what_the_server_does_can_be_declared_and_changed(things: Path, tmp_path: Path) -> None:
    with FaultServer(resizes(501_760)) as server:  # type: ignore[arg-type]
        run = eyechart.run(
            "openai:m", str(things), dialect="qwen2.5-vl", seen="smart:factor=28,max=501760",
            base_url=server.url, out=tmp_path / "runs",
        )  # fmt: skip
        asked = len(server.asked)
        assert run.report.metrics["acc@0.9"].value == 1.0
        # under the checkpoint's own bound the same words are other boxes: only the small one stays
        other = eyechart.score(run.path, seen="smart:factor=28,max=12845056")
        assert other.metrics["acc@0.9"].value == pytest.approx(1 / 3)
        back = eyechart.score(run.path, seen="smart:max=501760")
        assert back.metrics["acc@0.9"].value == 1.0
        assert len(server.asked) == asked


def test_a_preset_says_how_a_family_is_asked_and_read(things: Path, tmp_path: Path) -> None:
    with FaultServer(resizes(1_003_520)) as server:  # type: ignore[arg-type]
        run = eyechart.run(
            "openai:Qwen/Qwen2.5-VL-7B-Instruct", str(things), preset="qwen2.5-vl",
            generation={"temperature": 0.7}, base_url=server.url, out=tmp_path / "runs",
        )  # fmt: skip
        said = {asked.text for asked in server.asked}
    assert said == {
        "Locate the red box in this image and output the bbox coordinates in JSON format."
    }
    report = run.report
    assert report.metrics["acc@0.9"].value == 1.0
    assert report.asked.prompt_source.startswith("preset qwen2.5-vl")
    assert (report.reading.dialect, report.asked.images) == ("qwen2.5-vl", "multiple-of=28")
    assert report.preset is not None
    assert [line for line in report.preset.differs if "temperature" in line]
    # the folder keeps the preset, so that the report needs nothing else
    assert eyechart.load(run.path).report.preset == report.preset


def test_an_own_preset_is_a_file_and_its_mistakes_are_named(
    things: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("name: mine\nabout: my model\ndialect: json:sent\n")
    words = ["run", "openai:m", str(things), "--preset", str(mine), "--out", str(tmp_path / "r")]
    with FaultServer(sees_what_is_sent) as server:
        assert main([*words, "--base-url", server.url, "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert report["preset"]["name"] == "mine"
        mine.write_text("name: mine\nabout: my model\ndialekt: json:sent\n")
        assert main([*words, "--base-url", server.url]) == 2
    error = capsys.readouterr().err
    assert "mine.yaml, line 3" in error
    assert "'dialect'" in error or "dialect" in error


def test_a_presets_name_is_no_model(things: Path) -> None:
    with pytest.raises(UsageError, match=r"--preset qwen2\.5-vl"):
        eyechart.run("qwen2.5-vl", str(things))


def test_a_model_that_gives_boxes_of_the_original_sees_the_original(things: Path) -> None:
    with pytest.raises(UsageError, match="--image-policy"):
        eyechart.run("baseline:centre-box", str(things), image_policy="multiple-of=28")


def test_replies_made_elsewhere_need_the_size_that_was_seen(things: Path, tmp_path: Path) -> None:
    replies = tmp_path / "replies.jsonl"
    rows = []
    for name, (size, box) in PICTURES.items():
        wide, high = smart_resize(*size, 28, 3136, 12_845_056)
        across, down = wide / size[0], high / size[1]
        pixels = [box[0] * across, box[1] * down, box[2] * across, box[3] * down]
        rows.append({"id": name, "reply": json.dumps({"bbox_2d": pixels})})
    replies.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(UsageError, match="--seen"):
        eyechart.score(replies=replies, benchmark=str(things), dialect="qwen2.5-vl")
    report = eyechart.score(
        replies=replies, benchmark=str(things), dialect="qwen2.5-vl", seen="smart:factor=28"
    )
    assert report.metrics["acc@0.95"].value == 1.0


def test_without_pictures_their_sizes_are_still_known(things: Path, tmp_path: Path) -> None:
    with FaultServer(say("[1, 2, 3, 4]")) as server:
        report = eyechart.run(
            "openai:m", str(things), dialect="json:0-1000", no_images=True,
            base_url=server.url, out=tmp_path / "runs",
        ).report  # fmt: skip
        assert all(b"image_url" not in asked.body for asked in server.asked)
    assert (report.coverage.read, report.asked.images) == (3, "none")


def test_replies_in_another_syntax_are_warned_of(things: Path, tmp_path: Path) -> None:
    with FaultServer(sees_what_is_sent) as server:
        report = eyechart.run(
            "openai:m", str(things), dialect="kosmos-2", protocol="rec", parser="authors",
            base_url=server.url, out=tmp_path / "runs",
        ).report  # fmt: skip
    assert report.coverage.statuses["malformed"] == 3
    (warning,) = [one for one in report.warnings if "could not be read as kosmos-2" in one]
    assert "eyechart probe" in warning
    assert "--parser tolerant" in warning


def test_the_address_may_come_from_the_environment(
    things: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer(sees_what_is_sent) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        run = eyechart.run("openai:m", str(things), dialect="json:sent", out=tmp_path / "runs")
    assert run.report.metrics["acc@0.95"].value == 1.0


def test_what_a_preset_leaves_open_and_a_run_does_not_is_named(
    things: Path, tmp_path: Path
) -> None:
    mine = tmp_path / "mine.yaml"
    mine.write_text("name: mine\nabout: my model\ndialect: json:sent\n")
    with FaultServer(sees_what_is_sent) as server:
        report = eyechart.run(
            "openai:m", str(things), preset=str(mine), parser="authors", box_policy="last",
            image_policy="max-pixels=200000", base_url=server.url, out=tmp_path / "runs",
        ).report  # fmt: skip
    assert report.preset is not None
    assert report.preset.differs == [
        "temperature: 0 here, not set in the preset",
        "parser: authors here, not set in the preset",
        "image policy: max-pixels=200000 here, not set in the preset",
        "box policy: last here, not set in the preset",
    ]
