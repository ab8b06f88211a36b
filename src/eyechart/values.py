"""The values that every room speaks in: samples, requests, replies, readings and scores.

All are frozen. Boxes are xyxy, float64, pixels of the original picture, unless a field's own line
says otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, Protocol

import msgspec

Task = Literal["ground", "ground_phrases", "answer", "count", "caption", "refer"]
Box = tuple[float, float, float, float]


class Image(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A picture as a data set names it; its bytes stay where they are.

    `name` is the data set's own name for it and the unit of doubt; `source` says where its bytes
    lie (a path, `parquet:PATH#ROW`, `chart:...`; empty where they are not at hand) and never
    decides anything: `digest` does (`sha256:...` of the file, `pixels:...` of a drawn picture).
    """

    name: str
    width: int | None = None
    height: int | None = None
    source: str = ""
    digest: str = ""


class Boxes(msgspec.Struct, frozen=True, tag="boxes"):
    """The true boxes of an expression or a phrase: one, several, or none at all."""

    boxes: tuple[Box, ...]


class Answer(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One person's answer. `answer_id` is its position where the file gives none.

    `confidence` is kept where it is needed to tell two answers of a question apart.
    """

    answer: str
    answer_id: int | str | None = None
    confidence: str | None = None


class Answers(msgspec.Struct, frozen=True, tag="answers"):
    """What people answered, in file order."""

    answers: tuple[Answer, ...]


class Count(msgspec.Struct, frozen=True, tag="count"):
    """A true number of things."""

    value: int


class Captions(msgspec.Struct, frozen=True, tag="captions"):
    """Reference captions or expressions."""

    captions: tuple[str, ...]


Target = Boxes | Answers | Count | Captions


class Sample(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question about one picture, with its truth.

    `asked` holds what is asked by slot (`expression`, `question`, `phrase`, `caption`); the wording
    around it is the prompt template's. `group` is the unit of doubt, `tags` are the slices.
    """

    id: str
    task: Task
    image: Image
    asked: dict[str, str]
    target: Target
    group: str
    tags: dict[str, str] = {}


class Template(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a question is worded: `user` with `{slots}` of `Sample.asked`, and a system prompt."""

    user: str
    system: str | None = None
    source: str = ""


class Message(msgspec.Struct, frozen=True, omit_defaults=True):
    """One turn of a prompt; `with_image` puts the picture before its text."""

    role: Literal["system", "user", "assistant"]
    text: str
    with_image: bool = False


class Picture(Protocol):
    """A picture that a model may open: its bytes, never its name."""

    @property
    def width(self) -> int | None:
        """Width in pixels, as the annotation has it."""

    @property
    def height(self) -> int | None:
        """Height in pixels, as the annotation has it."""

    def read(self) -> bytes:
        """The encoded bytes; raises `PictureError` where they cannot be had."""

    def open(self) -> Any:
        """The picture as an upright RGB `PIL.Image.Image`; raises `PictureError`."""


@dataclass(frozen=True, slots=True)
class Request:
    """What a model is asked. It holds no truth and no name of the sample's picture.

    `task` says what kind of answer is wanted (boxes, a text, a number), where that is known.
    """

    sample_id: str
    messages: tuple[Message, ...]
    image: Picture | None = None
    generation: dict[str, Any] | None = None
    repeat: int = 0
    task: Task | None = None

    @property
    def prompt(self) -> str:
        """The text of the last user turn."""
        return next((m.text for m in reversed(self.messages) if m.role == "user"), "")


ReplyState = Literal["ok", "empty", "refused", "error"]
FailureKind = Literal[
    "connection",
    "timeout",
    "rate_limit",
    "server",
    "http",
    "protocol",
    "picture",
    "crash",
    "missing",
]


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """Why a request got no reply. `status` is the HTTP status where there was one."""

    kind: FailureKind
    message: str
    status: int | None = None
    attempts: int = 1


class Usage(msgspec.Struct, frozen=True, omit_defaults=True):
    """Tokens as the model's side counted them."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class RawBoxes(msgspec.Struct, frozen=True, omit_defaults=True):
    """Boxes a model gave as numbers, not text, in the form named by `format`.

    `format` is a row of `dialects.tensors` (`xyxy-pixels`, `xywh-pixels`, `xyxy-ratio`,
    `cxcywh-ratio`, `cxcywh-padded` ...). An empty list is an answer: there is no target.
    """

    boxes: tuple[Box, ...]
    format: str
    scores: tuple[float, ...] = ()
    labels: tuple[str, ...] = ()


class Reply(msgspec.Struct, frozen=True, omit_defaults=True):
    """What was said, unread. `raw` is the server's own record of it.

    `asked` is a digest of the question that it answers, put there when it is kept: a reply can
    never be taken for one to another question.
    """

    sample_id: str
    repeat: int = 0
    state: ReplyState = "ok"
    text: str | None = None
    boxes: RawBoxes | None = None
    reasoning: str | None = None
    finish_reason: str | None = None
    error: Failure | None = None
    usage: Usage | None = None
    latency_s: float | None = None
    sent_size: tuple[int, int] | None = None
    seen_size: tuple[int, int] | None = None
    notes: tuple[str, ...] = ()
    raw: dict[str, Any] | None = None
    at: float | None = None
    asked: str = ""


Status = Literal["ok", "none", "malformed", "refused", "error"]
STATUSES: tuple[Status, ...] = ("ok", "none", "malformed", "refused", "error")


class Reading(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a dialect or an extractor made of a reply.

    `none` is an answer (there is no such thing), `malformed` is not one; `truncated` stands beside
    either. `reason` says in a few words why a reply could not be read, `fault` of which kind that
    is (`dialects.found.FAULTS`). `labels` has one for each box, then one for each point.
    """

    status: Status
    truncated: bool = False
    boxes: tuple[Box, ...] = ()
    points: tuple[tuple[float, float], ...] = ()
    labels: tuple[str | None, ...] = ()
    scores: tuple[float, ...] = ()
    value: str | int | float | None = None
    reason: str = ""
    flags: tuple[str, ...] = ()
    fault: str = ""


class Matching(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a file of replies went with the samples: rows that found theirs, and why others did not.

    `form` is the kind of file; `rows` are its lines or entries, `unmatched` counts those that
    stand for no reply here, by reason.
    """

    form: str
    rows: int
    matched: int
    unmatched: dict[str, int] = {}


class Score(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a reply is worth under one protocol. Values are finite, never NaN."""

    sample_id: str
    repeat: int
    status: Status
    values: dict[str, float]
    reading: Reading
