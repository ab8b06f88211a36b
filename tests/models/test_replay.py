from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.errors import DataError, UsageError
from eyechart.models.replay import Replay
from eyechart.values import Matching, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def lines(tmp_path: Path, *rows: Any) -> Path:
    path = tmp_path / "replies.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def replies(model: Replay, ids: Sequence[str], repeat: int = 0) -> list[Reply]:
    kept: list[Reply] = []
    model.match(ids)
    model.answer(iter([Request(one, (), repeat=repeat) for one in ids]), kept.append)
    return kept


def texts(model: Replay, *ids: str) -> list[str | None]:
    return [reply.text for reply in replies(model, ids)]


@pytest.mark.parametrize("id_key", ["id", "question_id", "sample_id"])
@pytest.mark.parametrize("text_key", ["reply", "text", "answer", "prediction"])
def test_rows_are_matched_by_id(tmp_path: Path, id_key: str, text_key: str) -> None:
    path = lines(tmp_path, {id_key: "b", text_key: " B.\n"}, {id_key: "a", text_key: ""})
    model = Replay(path)
    assert texts(model, "a", "b") == ["", " B.\n"]
    assert [reply.state for reply in replies(model, ["a", "b"])] == ["empty", "ok"]
    assert model.about.identity["kind"] == "replay"
    assert model.about.identity["name"] == "replies.jsonl"
    assert len(model.about.identity["sha256"]) == 64
    assert not model.about.needs_images
    assert not model.about.gives_boxes
    assert model.warnings == []


def test_vqa_results_plain_and_packed(tmp_path: Path) -> None:
    rows = [{"question_id": 2, "answer": "no"}, {"question_id": 1, "answer": "yes"}]
    plain, packed = tmp_path / "results.json", tmp_path / "results.json.gz"
    plain.write_text(json.dumps(rows, indent=1))
    packed.write_bytes(gzip.compress(b"\xef\xbb\xbf" + json.dumps(rows).encode()))
    assert texts(Replay(plain), "1", "2") == texts(Replay(packed), "1", "2") == ["yes", "no"]


def test_of_a_repeated_id_the_last_counts_with_a_warning(tmp_path: Path) -> None:
    model = Replay(lines(tmp_path, *({"id": 1, "reply": text} for text in "abc")))
    assert texts(model, "1") == ["c"]
    (warning,) = model.warnings
    assert "1 id occurs more than once" in warning


def test_missing_and_unknown_ids_are_refused_or_shown(tmp_path: Path) -> None:
    path = lines(tmp_path, *({"id": number, "reply": "x"} for number in range(3)))
    ids = ["1", "2", "3", "4"]
    with pytest.raises(
        DataError,
        match=r"3 replies for 4 samples: 2 samples have no reply \(3, 4\) and "
        r"1 reply has no sample \(0\)\..*--subset",
    ):
        Replay(path).match(ids)
    model = Replay(path, subset=True)
    made = replies(model, ids)
    assert [reply.text for reply in made] == ["x", "x", None, None]
    assert made[2].state == "error"
    assert made[2].error is not None
    assert made[2].error.kind == "missing"
    assert "2 samples have no reply" in model.warnings[0]


def test_rows_without_ids_go_by_order_and_their_number_must_agree(tmp_path: Path) -> None:
    path = lines(tmp_path, {"reply": "a"}, {"reply": "b"})
    assert texts(Replay(path), "x", "y") == ["a", "b"]
    for ids in (["x"], ["x", "y", "z"]):
        with pytest.raises(DataError, match=f"2 replies without ids for {len(ids)} sample"):
            Replay(path).match(ids)
    assert texts(Replay(path, subset=True), "x", "y", "z") == ["a", "b", None]
    with pytest.raises(UsageError, match="must be matched"):
        Replay(path).answer(iter([]), lambda _: None)


def test_h_lines_go_by_order_and_surplus_ones_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "out.locout"
    text = "S-0\tx\nH-1\t-0.5\t<phrase>a</phrase>\nD-0\ty\nH-0\t-0.1\tb\n"
    path.write_text(text)
    model = Replay(path)
    assert texts(model, "p", "q") == ["H-1\t-0.5\t<phrase>a</phrase>", "H-0\t-0.1\tb"]
    assert model.about.dialect == "kosmos-2"
    with pytest.raises(DataError, match="2 H- lines for 3 samples"):
        Replay(path).match(["p", "q", "r"])
    model = Replay(path)
    assert texts(model, "p") == ["H-1\t-0.5\t<phrase>a</phrase>"]
    assert model.prepare(["p"]) == model.warnings
    order, surplus = model.warnings
    assert "the numbers of the H- lines are not in order, or repeat" in order
    assert surplus == f"{path}: 2 H- lines for 1 sample; the last one is left out."


def test_h_numbers_that_repeat_are_told(tmp_path: Path) -> None:
    path = tmp_path / "out.locout"
    path.write_text("H-0\t-1\ta\nH-0\t-1\ta\n")
    assert "or repeat" in Replay(path).warnings[0]
    path.write_text("H-0\t-1\ta\nH-7\t-1\ta\n")
    assert Replay(path).warnings == []


def test_a_log_that_begins_like_json_is_still_h_lines(tmp_path: Path) -> None:
    path = tmp_path / "generate.log"
    path.write_text("[2023-05-01] INFO loading\nH-0\t-0.1\tb\n")
    assert texts(Replay(path), "p") == ["H-0\t-0.1\tb"]


def test_boxes_with_their_form_in_the_row_or_named(tmp_path: Path) -> None:
    row = {"id": 1, "boxes": [[1, 2, 3, 4]], "scores": [0.5], "labels": ["cup"]}
    path = lines(tmp_path, {**row, "format": "xywh-pixels"}, {"id": 2, "boxes": []})
    with pytest.raises(UsageError, match=r"line 2.*--box-format.*xyxy-pixels"):
        Replay(path)
    model = Replay(path, box_format="xyxy-ratio")
    first, second = replies(model, ["1", "2"])
    assert first.boxes is not None
    assert second.boxes is not None
    assert (first.boxes.format, first.boxes.boxes) == ("xywh-pixels", ((1, 2, 3, 4),))
    assert (first.boxes.scores, first.boxes.labels) == ((0.5,), ("cup",))
    assert (second.boxes.format, second.boxes.boxes) == ("xyxy-ratio", ())
    assert model.about.gives_boxes
    with pytest.raises(UsageError, match="Did you mean xyxy-ratio"):
        Replay(path, box_format="xyxy-ratios")


def test_a_runs_own_record_keeps_its_states_and_the_last_good_reply(tmp_path: Path) -> None:
    run = tmp_path / "runs" / "refcoco--model--abc"
    run.mkdir(parents=True)
    error = {"kind": "timeout", "message": "m", "attempts": 3}
    record = [
        {"sample_id": "a", "state": "error", "error": error},
        {"sample_id": "a", "text": "first", "seen_size": [28, 56]},
        {"sample_id": "a", "text": "second"},
        {"sample_id": "a", "state": "error", "error": error},
        {"sample_id": "a", "repeat": 1, "text": "again"},
        {"sample_id": "b", "state": "error", "error": error},
    ]
    text = "".join(json.dumps(row) + "\n" for row in record)
    (run / "replies.jsonl").write_text(text + '{"sample_id": "c", "te')
    model = Replay(run)
    made = replies(model, ["a", "b"])
    assert made[0].text == "second"
    assert made[1].error is not None
    assert (made[1].state, made[1].error.kind) == ("error", "timeout")
    assert [reply.text for reply in replies(model, ["a", "b"], repeat=1)] == ["again", None]
    assert model.about.identity["name"] == "refcoco--model--abc"
    assert "last line is not whole" in model.warnings[0]
    (run / "replies.jsonl").write_text('{"sample_id": "c", "te\n' + text)
    with pytest.raises(DataError, match="line 1"):
        Replay(run)


def test_numbers_and_nulls_are_not_mistaken_for_text(tmp_path: Path) -> None:
    path = lines(tmp_path, {"id": 1, "reply": 5}, {"id": 2, "reply": None}, {"id": 3, "reply": 2.5})
    model = Replay(path)
    made = replies(model, ["1", "2", "3"])
    assert [reply.text for reply in made] == ["5", None, "2.5"]
    assert made[1].state == "error"
    assert model.warnings == ["2 replies are numbers in the file; they are read as text."]


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"id": 1}, "line 2: has no reply"),
        ({"id": 1, "answer": "x", "prediction": "y"}, "line 2: has `answer` and `prediction`"),
        ({"reply": "x"}, "line 2: give every reply an id"),
        ({"id": [1], "reply": "x"}, r"line 2: `id` is \[1\]"),
        ({"id": True, "reply": "x"}, "line 2: `id` is True"),
        ({"id": 1, "reply": {"a": 1}}, "line 2: `reply` is not text"),
        ({"id": 1, "boxes": [[1, 2, 3]]}, "line 2: .*four numbers"),
        ({"id": 1, "boxes": [[1, 2, 3, 4]], "scores": [1, 2]}, "line 2: 1 boxes and 2 scores"),
        ({"id": 1, "boxes": [[1, 2, 3, 4]], "format": "xyxy"}, "line 2: no form .*'xyxy'"),
        ([1], "line 2: not a JSON object"),
    ],
)
def test_bad_rows_are_named(tmp_path: Path, row: Any, told: str) -> None:
    with pytest.raises(DataError, match=told):
        Replay(lines(tmp_path, {"id": 0, "reply": "x"}, row))


def test_reply_goes_before_every_other_name(tmp_path: Path) -> None:
    row = {"id": 1, "reply": "mine", "answer": "the truth", "prediction": "old"}
    assert texts(Replay(lines(tmp_path, row)), "1") == ["mine"]


@pytest.mark.parametrize("content", ["", "just text\n", "[not json]", "[]", "\n\n"])
def test_files_of_no_known_form_are_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "x.txt"
    path.write_text(content)
    with pytest.raises(DataError, match=r"x\.txt"):
        Replay(path)
    with pytest.raises(DataError, match="not a run folder"):
        Replay(tmp_path)


def test_the_real_vqa_results(shared: Path) -> None:
    model = Replay(shared / "data/vqa/vqav2/results_moe_5846.json.gz")
    with pytest.raises(DataError, match="5,846 replies for 1 sample: 5,845 replies"):
        model.match(["5818295"])
    assert texts(Replay(model._file.path, subset=True), "5818295") == ["banana"]


@pytest.mark.parametrize("id_key", ["id", "question_id", "sample_id"])
@pytest.mark.parametrize("text_key", ["reply", "text", "answer", "prediction"])
def test_null_and_whole_numbers_under_every_name(
    tmp_path: Path, id_key: str, text_key: str
) -> None:
    model = Replay(lines(tmp_path, {id_key: 1, text_key: None}, {id_key: 2, text_key: 3}))
    missing, number = replies(model, ["1", "2"])
    assert missing.error is not None
    assert (missing.state, missing.error.kind) == ("error", "missing")
    assert (number.state, number.text) == ("ok", "3")
    assert model.warnings == ["1 reply is a number in the file; it is read as text."]


def test_a_record_that_says_nothing_is_missing(tmp_path: Path) -> None:
    path = lines(
        tmp_path,
        {"sample_id": 1, "state": "ok"},
        {"sample_id": 2, "state": "empty"},
        {"sample_id": 3, "text": None, "boxes": {"boxes": [], "format": "xyxy-pixels"}},
    )
    made = replies(Replay(path), ["1", "2", "3"])
    assert [reply.state for reply in made] == ["error", "empty", "ok"]
    with pytest.raises(DataError, match="line 1: has no reply"):
        Replay(lines(tmp_path, {"sample_id": 1}))


def test_the_form_of_boxes_is_part_of_what_it_is(tmp_path: Path) -> None:
    path = lines(tmp_path, {"id": 1, "boxes": [[1, 2, 3, 4]]})
    first, second = (
        Replay(path, box_format=form).about.identity for form in ("xyxy-pixels", "xywh-pixels")
    )
    assert first["box_format"] == "xyxy-pixels"
    assert {**first, "box_format": "xywh-pixels"} == second
    path = lines(tmp_path, {"id": 1, "boxes": [[1, 2, 3, 4]], "format": "xyxy-pixels"})
    assert "box_format" not in Replay(path, box_format="xywh-pixels").about.identity


def test_prepare_takes_the_questions_and_needs_none(tmp_path: Path) -> None:
    model = Replay(lines(tmp_path, {"id": 1, "reply": "x"}))
    assert model.prepare(["1"], None, [("a.png", "what?")]) == []


def test_one_is_told_in_the_singular(tmp_path: Path) -> None:
    path = lines(tmp_path, {"id": 1, "reply": "x"})
    with pytest.raises(DataError, match=r"1 reply for 1 sample: 1 sample has no reply \(2\) and"):
        Replay(path).match(["2"])
    path.write_text("H-0\t-1\ta\nH-1\t-1\tb\nH-2\t-1\tc\n")
    model = Replay(path)
    assert model.prepare(["a"]) == [f"{path}: 3 H- lines for 1 sample; the last 2 are left out."]


@pytest.mark.parametrize("key", ["reply", "text", "answer", "prediction"])
@pytest.mark.parametrize("blank", ["", " ", "\n"])
def test_a_blank_text_is_no_answer_but_in_vqa_results(tmp_path: Path, key: str, blank: str) -> None:
    row = {"question_id": 1, key: blank}
    [line] = replies(Replay(lines(tmp_path, row)), ["1"])
    assert (line.state, line.text, line.error) == ("empty", blank, None)
    results = tmp_path / "results.json"
    results.write_text(json.dumps([row]))
    [entry] = replies(Replay(results), ["1"])
    assert (entry.state, entry.text) == ("ok" if key == "answer" else "empty", blank)


def test_a_blank_text_of_a_record_keeps_the_state_it_names(tmp_path: Path) -> None:
    named, plain = {"sample_id": 1, "text": "", "state": "ok"}, {"sample_id": 2, "text": ""}
    made = replies(Replay(lines(tmp_path, named, plain)), ["1", "2"])
    assert [reply.state for reply in made] == ["ok", "empty"]
    run = tmp_path / "run"
    run.mkdir()
    (run / "replies.jsonl").write_text('{"sample_id": "a", "text": ""}\n')
    assert [reply.state for reply in replies(Replay(run), ["a"])] == ["ok"]


def test_boxes_beside_a_blank_text_are_an_answer(tmp_path: Path) -> None:
    row = {"id": 1, "reply": "", "boxes": [], "format": "xyxy-pixels"}
    assert [reply.state for reply in replies(Replay(lines(tmp_path, row)), ["1"])] == ["ok"]


def coco(tmp_path: Path, *entries: dict[str, Any]) -> Path:
    path = tmp_path / "coco.json"
    path.write_text(json.dumps(entries))
    return path


def test_coco_results_go_by_sample_or_by_picture(tmp_path: Path) -> None:
    box = [0, 0, 1, 1]
    pictures = ["COCO_val2014_000000000042.jpg", "b.png"]
    for names in (("x", "y"), (42, "b"), ("COCO_val2014_000000000042.jpg", "b.png")):
        rows = [{"image_id": name, "bbox": box, "score": 1.0} for name in names]
        model = Replay(coco(tmp_path, *rows, rows[0]))
        model.match(["x", "y"], pictures)
        kept = model.kept(["x", "y"])
        assert [kept[name, 0].sample_id for name in ("x", "y")] == ["x", "y"]
        assert model.matching == Matching("COCO results", 3, 3)


def test_a_picture_with_several_samples_tells_none_apart(tmp_path: Path) -> None:
    model = Replay(coco(tmp_path, {"image_id": 42, "bbox": [0, 0, 1, 1]}))
    with pytest.raises(DataError, match="image_id 42 is a picture with 2 samples"):
        model.match(["x", "y"], ["COCO_val2014_000000000042.jpg"] * 2)


def test_matching_counts_what_found_no_sample(tmp_path: Path) -> None:
    rows = [{"id": name, "reply": "r"} for name in ("a", "b", "a", "nobody")]
    model = Replay(lines(tmp_path, *rows), subset=True)
    model.match(["a", "b", "c"])
    assert model.matching == Matching(
        "rows of replies", 4, 2, {"no sample of its id": 1, "an earlier reply of the same id": 1}
    )


def test_a_short_file_of_h_lines_is_allowed_by_name(tmp_path: Path) -> None:
    path = tmp_path / "short.locout"
    path.write_text("H-0\t-0.1\tone\nT-0\tx\n")
    with pytest.raises(DataError, match="--allow-short"):
        Replay(path).match(["a", "b"])
    model = Replay(path, allow_short=True)
    model.match(["a", "b"])
    assert model.covered == {"a"}
    assert model.matching == Matching("H- lines", 2, 1, {"no H- line": 1})
