"""What decides an answer, and the fingerprint of it."""

from __future__ import annotations

import hashlib
import re
from typing import Any

import msgspec

from eyechart.values import Matching, Template

SCHEMA = 1


class RunSpec(msgspec.Struct, frozen=True):
    """Everything that can change an answer, and nothing else.

    Not the host, the place of the data, the concurrency, the number of samples or of repeats; not
    how replies are read or scored. It holds no secret.
    """

    benchmark: str
    split: str
    benchmark_version: int
    benchmark_args: dict[str, Any]
    model: dict[str, Any]
    template: Template
    generation: dict[str, Any]
    images: str
    schema: int = SCHEMA

    @property
    def benchmark_name(self) -> str:
        """`name/split`, or the name alone where there are no splits."""
        return f"{self.benchmark}/{self.split}" if self.split else self.benchmark

    @property
    def model_name(self) -> str:
        """`kind:name`, as the command line writes it."""
        kind, name = self.model.get("kind", ""), self.model.get("name", "")
        return f"{kind}:{name}" if kind and name else str(kind or name)

    @property
    def fingerprint(self) -> str:
        """The first 12 hexadecimal digits of the SHA-256 of the canonical JSON of the spec.

        Where a wording comes from changes no answer, and is left out.
        """
        wording = msgspec.structs.replace(self.template, source="")
        plain = msgspec.structs.replace(self, template=wording)
        canonical = msgspec.json.encode(plain, order="sorted")
        return hashlib.sha256(canonical).hexdigest()[:12]

    @property
    def folder_name(self) -> str:
        """`<benchmark>--<model>--<fingerprint>`, safe as a file name on every system."""
        parts = (_plain(self.benchmark_name), _plain(self.model_name), self.fingerprint)
        return "--".join(parts)


class ReadingSpec(msgspec.Struct, frozen=True, omit_defaults=True):
    """How replies are read and scored: declared, recorded, and open to change without asking again.

    `reasoning` and `parser` None mean the protocol's own default; `seen` says what the model's own
    preprocessing makes of what is sent, where its replies do not tell; `box_policy` says which of
    several boxes counts, `protocol_args` are the protocol's other options.
    """

    protocol: str
    dialect: str | None = None
    reasoning: str | None = None
    filters: tuple[dict[str, dict[str, Any]], ...] = ()
    box_policy: str | None = None
    protocol_args: dict[str, Any] = {}
    prices: tuple[float, float] | None = None
    parser: str | None = None
    seen: str | None = None


class Session(msgspec.Struct, frozen=True):
    """One sitting of asking: when, where and with what; outside the fingerprint.

    `git` is the commit of the folder in which the command was given, with `+` where files differ.
    """

    at: float
    eyechart: str
    python: str
    system: str
    packages: dict[str, str]
    implementation: str = "cpython"
    host: str = ""
    git: str = ""


class RunFile(msgspec.Struct, frozen=True):
    """The content of `spec.json`.

    `selected` are the ids that the last command chose, None for all that `samples.jsonl` holds;
    `left_out` counts the samples that `--subset` left out, having no reply to them; `called` is
    the benchmark as the user named it; `matching` tells how a file of replies went with the
    samples; `preset` is the one that was used, as it then was. `samples_digests` are those that `samples.jsonl` may have:
    one, or two while it is being written.
    """

    fingerprint: str
    spec: RunSpec
    reading: ReadingSpec
    made: list[Session]
    repeats: int = 1
    known_size: int | None = None
    citation: str = ""
    task: str = ""
    notes: list[str] = []
    selected: list[str] | None = None
    left_out: int = 0
    samples_digests: list[str] = []
    called: str = ""
    matching: Matching | None = None
    preset: dict[str, Any] | None = None


def _plain(name: str) -> str:
    plain = re.sub(r"[^A-Za-z0-9._+-]+", "-", name).strip("-.")
    return plain[:80] or "unnamed"
