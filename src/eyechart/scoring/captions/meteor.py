"""METEOR 1.5 of a set of captions, by its own Java program alone.

Source: salaniz/pycocoevalcap `meteor/meteor.py`, which talks to `meteor-1.5.jar` over a pipe
(`-l en -norm`). The program needs Java and its 60 MB table of paraphrases beside it; neither comes
with eyechart. The set's value is made from summed statistics, it is no mean.
"""

from __future__ import annotations

import subprocess
from importlib.util import find_spec
from pathlib import Path
from threading import Thread, Timer
from typing import IO, TYPE_CHECKING

from eyechart.errors import DataError, UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

_JAR = Path("meteor") / "meteor-1.5.jar"
_TABLE = Path("data") / "paraphrase-en.gz"
_REMEDY = "Or score without it: leave the option meteor out."
_START_S = 120.0
_EACH_S = 0.1


def jar(wanted: bool | str) -> Path:
    """The program: at the path given, or (True) in an installed pycocoevalcap, which is not imported.

    Raises:
        UsageError: it is not there, or its table of paraphrases is not beside it.
    """
    if isinstance(wanted, str):
        found = Path(wanted).expanduser().absolute()
        if found.is_dir():
            found /= _JAR.name
    else:
        spec = find_spec("pycocoevalcap")
        folders = (spec.submodule_search_locations or []) if spec is not None else []
        if not folders:
            raise UsageError(
                "METEOR is computed by its own Java program, which the package pycocoevalcap holds "
                f"and which is not installed: pip install pycocoevalcap, or meteor=PATH. {_REMEDY}"
            )
        found = Path(folders[0]) / _JAR
    for needed in (found, found.parent / _TABLE):
        if not needed.is_file():
            raise UsageError(f"METEOR: no file {needed}. {_REMEDY}")
    return found


def score(
    program: Path,
    hypotheses: Sequence[str],
    references: Sequence[Sequence[str]],
    java: str = "java",
) -> tuple[float, list[float]]:
    """The set's METEOR and each sample's, ratios, from tokenised captions.

    Raises:
        DataError: a reference without any word, which the program cannot take.
        UsageError: there is no Java, or the program fails or takes too long.
    """
    if not hypotheses:
        return 0.0, []
    for place, texts in enumerate(references, start=1):
        if not all(texts):
            raise DataError(
                f"sample number {place} has a reference without any word, which METEOR cannot take: "
                f"mend it. {_REMEDY}"
            )
    questions = [_question(said, texts) for said, texts in zip(hypotheses, references, strict=True)]
    command = [java, "-jar", "-Xmx2G", program.name, "-", "-", "-stdio", "-l", "en", "-norm"]
    try:
        process = subprocess.Popen(
            command,
            cwd=program.parent,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
        )
    except OSError as error:
        raise UsageError(
            f"METEOR needs Java, and {java!r} does not run ({error.strerror or error}): install a "
            f"Java runtime (version 8 or later). {_REMEDY}"
        ) from None
    limit = _START_S + _EACH_S * len(questions)
    timer = Timer(limit, process.kill)
    timer.start()
    try:
        return _asked(process, questions)
    except (OSError, ValueError) as error:
        late = f" within {limit:.0f} s" if not timer.is_alive() else ""
        raise UsageError(f"METEOR: {program} gave no scores{late} ({error}). {_REMEDY}") from None
    finally:
        timer.cancel()
        process.kill()
        process.communicate()


def _question(said: str, texts: Sequence[str]) -> str:
    # as the official caller has it
    said = said.replace("|||", "").replace("  ", " ")
    return f"SCORE ||| {' ||| '.join(texts)} ||| {said}\n"


def _asked(process: subprocess.Popen[str], questions: Sequence[str]) -> tuple[float, list[float]]:
    inward, outward = process.stdin, process.stdout
    if inward is None or outward is None:
        raise ValueError("no pipe")
    # both pipes are of limited size: whoever only writes waits for ever
    writer = Thread(target=_write, args=(inward, questions), daemon=True)
    writer.start()
    statistics = [_line(outward) for _ in questions]
    writer.join()
    _write(inward, ["EVAL", *(f" ||| {one}" for one in statistics), "\n"])
    each = [float(_line(outward)) for _ in questions]
    return float(_line(outward)), each


def _write(stream: IO[str], texts: Sequence[str]) -> None:
    try:
        stream.writelines(texts)
        stream.flush()
    except OSError:
        # the program has ended: reading from it says so
        return


def _line(stream: IO[str]) -> str:
    line = stream.readline()
    if not line:
        raise ValueError("it ended early")
    return line.strip()
