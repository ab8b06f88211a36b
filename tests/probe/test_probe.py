"""What a probe asks, counts, refuses and says, whatever the endpoint does."""

from __future__ import annotations

import base64
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import jsonschema
import msgspec
import pytest
from tests.fault_server import Act, Asked, Behaviour, FaultServer, fail, say
from tests.probe import endpoints as ep
from tests.probe.conftest import truths

from eyechart import presets
from eyechart.errors import ModelError, UsageError
from eyechart.models import About, Keep
from eyechart.models.find import Connection, make
from eyechart.models.openai import Endpoint
from eyechart.runs.probe import result
from eyechart.runs.probe.asking import probe
from eyechart.runs.probe.questions import FORMS
from eyechart.runs.probe.result import Probe
from eyechart.values import RawBoxes, Reply, Request

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


def probed(behave: Behaviour, scenes: int = 12) -> Probe:
    with FaultServer(behave) as server:
        return probe(Endpoint("m", server.url, retry_budget_s=0.0), scenes=scenes)


@dataclass
class Seam:
    """A model of the seam that answers by a function and remembers what it was asked."""

    say: Callable[[Request, ep.Seen], Reply]
    asked: list[Request] = field(default_factory=list)
    about: About = field(default_factory=lambda: About({"kind": "test", "name": "seam"}))

    def answer(self, requests: Iterator[Request], keep: Keep) -> None:
        for request in requests:
            self.asked.append(request)
            assert request.image is not None
            keep(self.say(request, truths()[ep.digest(request.image.read())]))


def in_pixels(request: Request, seen: ep.Seen) -> Reply:
    return Reply(request.sample_id, text=json.dumps({"bbox_2d": seen.box}))


def is_one_of(asked: Asked, of: int) -> bool:
    """True for one question in so many, whatever the order in which they come."""
    return int(ep.digest(asked.text.encode() + asked.data_url.encode()), 16) % of == 0


# ---- what cannot be told


def test_nonsense_is_explained_by_nothing() -> None:
    for write in (ep.nonsense, ep.always_the_same):
        found = probed(ep.endpoint(truths(), write), scenes=16)
        assert (found.verdict, found.winner, found.flags) == ("nothing", None, ())
        assert found.preset is None
        assert found.hypotheses[0].score < 0.3
        assert found.resizes.answer == "cannot tell"
        assert any("in no frame do they lie" in note for note in found.notes)


def test_a_model_that_always_refuses_has_its_states_shown() -> None:
    found = probed(lambda _: say("I'm sorry, but I can't assist with that request."))
    # every wording on two scenes, and on two more, as that might have been chance
    assert found.states == {"refused": 4 * len(FORMS)}
    assert found.verdict == "nothing"
    assert found.hypotheses == ()
    assert all(one.states == {"refused": 4} for one in found.asked)
    assert "48 refused" in found.notes[0]
    assert result.conclusion(found)[0] == "Cannot tell: no hypothesis explains the answers."


def test_a_chatty_model_without_boxes_is_unread_and_not_refused() -> None:
    found = probed(lambda _: say("There are some shapes on a grey ground."))
    assert set(found.states) == {"unread"}
    assert found.asked[0].sample == "There are some shapes on a grey ground."


def test_two_readings_that_differ_are_both_named_when_the_answers_do_not_decide() -> None:
    # every second picture with y first
    order = {seen.size: number for number, seen in enumerate(truths().values())}

    def either(request: Request, seen: ep.Seen) -> Reply:
        x1, y1, x2, y2 = seen.box
        box = (y1, x1, y2, x2) if order[seen.size] % 2 else seen.box
        return Reply(request.sample_id, text=json.dumps({"bbox_2d": box}))

    found = probe(Seam(either), scenes=12)
    assert found.verdict == "undecided"
    assert (found.winner, found.margin, found.flags, found.preset) == (None, None, (), None)
    named = [one.hypothesis.name for one in found.cannot_tell]
    assert {"json:pixels", "json:pixels,yxyx"} <= set(named)
    assert all(rival.matters for rival in found.cannot_tell)
    assert "More scenes (24 at most) or another seed may tell them apart." in found.notes
    said = result.conclusion(found)
    assert said[0] == "Cannot tell: several hypotheses explain the answers equally well."


# ---- which wordings


def test_an_endpoint_that_answers_one_wording_only_is_asked_that_one() -> None:
    found = probed(ep.endpoint(truths(), ep.of_unit(1000), only="[refer]", refusals=0), scenes=16)
    used = [one for one in found.asked if one.used]
    assert [one.name for one in used] == ["refer"]
    assert used[0].requests == 16
    assert all(one.requests in (2, 16) for one in found.asked)
    assert found.winner is not None
    assert found.winner.dialect == "json:0-1000"
    assert "--prompt" in found.flags
    assert "[refer] give me the location of {expression}" in found.flags


def test_another_form_in_another_wording_is_told_beside_the_first() -> None:
    def behave(asked: Asked) -> Act:
        write = ep.molmo if "Point to" in asked.text else ep.pixels
        return ep.endpoint(truths(), write, refusals=0, wrong=0.1)(asked)

    found = probed(behave, scenes=16)
    assert found.winner is not None
    assert found.winner.dialect == "json:pixels"
    assert [one.name for one in found.asked if one.requests == 16] == ["bbox_2d", "point"]
    assert "Asked in the wording 'point' it answers otherwise: molmo." in found.notes


@pytest.mark.parametrize("scenes", [12, 24])
def test_the_requests_are_bounded(scenes: int) -> None:
    model = Seam(in_pixels)
    found = probe(model, scenes=scenes)
    assert len(model.asked) == found.requests <= 4 * scenes
    assert len({request.sample_id for request in model.asked}) == found.requests
    assert found.winner is not None
    assert found.winner.dialect == "json:pixels"


def test_a_model_is_told_nothing_but_the_question() -> None:
    model = Seam(in_pixels)
    probe(model, scenes=12, generation={"max_tokens": 99})
    for request in model.asked:
        assert request.generation == {"max_tokens": 99}
        seen = truths()[ep.digest(request.image.read())] if request.image else None
        assert seen is not None
        assert seen.name in request.prompt
        said = request.sample_id + "".join(message.text for message in request.messages)
        # no scale is named: no pixels, no thousand, and nothing of the truth
        assert not {"pixel", "1000", "999", "0-1", str(int(seen.box[0]))} & set(said.split())


# ---- what goes wrong


def test_failed_requests_are_counted_and_do_not_spoil_the_rest() -> None:
    good = ep.endpoint(truths(), ep.pixels, wrong=0.1)
    with FaultServer(lambda a: fail(500) if is_one_of(a, 7) else good(a)) as server:
        found = probe(Endpoint("m", server.url, retry_budget_s=0.0))
        failed = sum(is_one_of(asked, 7) for asked in server.asked)
    assert found.states["error: server"] == failed > 2
    assert f"{failed} of {found.requests} requests failed." in found.notes
    assert found.winner is not None
    assert found.winner.dialect == "json:pixels"


def test_replies_that_were_cut_are_counted() -> None:
    good = ep.endpoint(truths(), ep.pixels, wrong=0.1)
    act = say("<think>The red one, or", "length")
    with FaultServer(lambda a: act if is_one_of(a, 7) else good(a)) as server:
        found = probe(Endpoint("m", server.url))
        cut = sum(is_one_of(asked, 7) for asked in server.asked)
    assert sum(one.cut for one in found.asked) == found.states["empty"] == cut > 2
    assert any("max_tokens" in note for note in found.notes)
    assert found.winner is not None


def test_a_server_that_cannot_be_asked_raises() -> None:
    with pytest.raises(ModelError):
        probed(fail(401, "wrong key"))  # type: ignore[arg-type]


def test_a_reply_to_what_was_not_asked_is_refused() -> None:
    with pytest.raises(ModelError, match="was not asked"):
        probe(Seam(lambda _request, _seen: Reply("another")), scenes=12)


@pytest.mark.parametrize("name", ["centre-box", "pixels", "prior"])
def test_a_model_that_gives_numbers_has_nothing_to_probe(name: str) -> None:
    with pytest.raises(UsageError, match=r"gives boxes as numbers.*no --dialect is needed"):
        probe(make(f"baseline:{name}", {}, Connection()))


def test_an_own_model_that_gives_numbers_is_told_so_after_the_first_round() -> None:
    model = Seam(lambda r, s: Reply(r.sample_id, boxes=RawBoxes((s.box,), "xyxy-pixels")))
    with pytest.raises(UsageError, match="gives_boxes = True"):
        probe(model)
    assert len(model.asked) == 2 * len(FORMS)


def test_replies_that_exist_already_are_not_probed() -> None:
    model = Seam(in_pixels)
    model.kept = lambda *_: {}  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match="asks its own questions"):
        probe(model)


@pytest.mark.parametrize("scenes", [0, 11, 25])
def test_the_number_of_scenes_has_bounds(scenes: int) -> None:
    with pytest.raises(UsageError, match="12 to 24"):
        probe(Seam(in_pixels), scenes=scenes)


# ---- sizes that replies tell


def test_a_size_that_the_replies_tell_needs_no_rule() -> None:
    def told(request: Request, seen: ep.Seen) -> Reply:
        # no rule makes such sizes
        wide, high = 300 + seen.size[0] % 89, 300 + seen.size[1] % 97
        x1, y1, x2, y2 = ep.parts(seen.box, seen.size)
        text = json.dumps({"bbox_2d": [x1 * wide, y1 * high, x2 * wide, y2 * high]})
        return Reply(request.sample_id, text=text, seen_size=(wide, high))

    found = probe(Seam(told), scenes=12)
    assert found.winner is not None
    assert (found.winner.dialect, found.winner.seen) == ("json:seen", None)
    assert found.winner.mean_iou > 0.999
    assert "--seen" not in found.flags
    assert found.resizes.answer == "yes"


# ---- the result


def test_the_result_is_json_of_the_published_schema_and_the_same_each_time() -> None:
    behave = ep.endpoint(truths(), ep.gemini)
    first, second = probed(behave), probed(behave)
    plain = [msgspec.to_builtins(one) | {"seconds": 0, "model": 0} for one in (first, second)]
    assert plain[0] == plain[1]
    data = msgspec.json.encode(first)
    jsonschema.validate(json.loads(data), result.json_schema())
    assert msgspec.json.decode(data, type=Probe) == first


def test_the_preset_is_one_that_reads_back(tmp_path: object) -> None:
    found = probed(
        ep.endpoint(truths(), ep.of_resized(lambda size: ep.smart(size, 28, 602_112))), scenes=16
    )
    assert found.preset is not None
    preset = msgspec.convert(found.preset, presets.Preset)
    assert found.winner is not None
    assert preset.dialect == found.winner.dialect == "json:seen"
    assert preset.seen == found.winner.seen == "smart:factor=28,max=602112"
    assert preset.prompts["ground"].user in found.flags
    assert preset.generation == {"temperature": 0}
    assert "dialect: json:seen" in presets.dump(preset)


def test_the_table_marks_the_winner_and_its_equals() -> None:
    found = probed(ep.endpoint(truths(), ep.of_unit(1000)))
    rows = result.table_rows(found, most=5)
    assert len(rows) == 5
    assert all(len(row) == len(result.HEADER) for row in rows)
    assert [row[:2] for row in rows if row[0]] == [("*", "json:0-1000"), ("=", "json:0-999")]
    assert rows[0][0] == "*"
    assert result.state_rows(found)[0][0] == "+ bbox_2d"
    said = result.conclusion(found)
    assert said[0] == "It writes boxes as json:0-1000."
    assert "Not told apart: json:0-999. No edge lies further apart than 0.10%" in "\n".join(said)


def test_the_picture_that_is_sent_is_the_chart_s_own() -> None:
    with FaultServer(say("no")) as server:
        probe(Endpoint("m", server.url), scenes=12)
        pictures = {
            ep.digest(base64.b64decode(one.data_url.partition(",")[2])) for one in server.asked
        }
    assert pictures <= set(truths())
    assert len(pictures) == 4
