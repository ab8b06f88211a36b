"""Finds the official evaluation programs in a folder of the user's, and makes them run under Python 3.

VQA: GT-Vision-Lab/VQA. Its files are written for Python 2; in a copy, print statements become calls
and indentation becomes spaces, nothing else. Kosmos-2: microsoft/unilm, run as it stands.
"""

from __future__ import annotations

import re
from pathlib import Path

from benchmarks.full_size import flickr30k, refcoco, vqav2

_VQA = ("PythonHelperTools/vqaTools/vqa.py", "PythonEvaluationTools/vqaEvaluation/vqaEval.py")
_KOSMOS2 = "kosmos-2/evaluation"
_PRINT = re.compile(r"^(\s*)print (.*)$", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]+", re.MULTILINE)
_RUN_VQA = """
import sys
from vqa import VQA
from vqaEval import VQAEval

annotations, questions, results = sys.argv[1:]
truth = VQA(annotations, questions)
evaluation = VQAEval(truth, truth.loadRes(results, questions), n=2)
evaluation.evaluate()
print(evaluation.accuracy)
"""

Command = list[str | Path]
Placed = tuple[Command, Path]


def vqa(official: Path, python: str, data: Path, scratch: Path) -> Placed | None:
    """The command that evaluates the generated VQAv2 files and its folder; None without the code."""
    root = _root(official, _VQA[1])
    if root is None:
        return None
    for name in _VQA:
        text = _PRINT.sub(r"\1print(\2)", (root / name).read_text(encoding="utf-8"))
        text = _INDENT.sub(lambda found: found.group().expandtabs(8), text)
        (scratch / Path(name).name).write_text(text, encoding="utf-8")
    (scratch / "run_vqa.py").write_text(_RUN_VQA, encoding="utf-8")
    files = (vqav2.ANNOTATIONS_FILE, vqav2.QUESTIONS_FILE, vqav2.RESULTS_FILE)
    return [python, scratch / "run_vqa.py", *(data / name for name in files)], scratch


def kosmos2_refcoco(official: Path, python: str, data: Path) -> Placed | None:
    """As `vqa`, of the generated RefCOCO files; the interpreter needs torch and torchvision."""
    root = _root(official, f"{_KOSMOS2}/refcoco/refexp_evaluate.py")
    if root is None:
        return None
    folder = root / _KOSMOS2 / "refcoco"
    files = (data / refcoco.REPLIES_FILE, data / refcoco.ANNOTATIONS_FILE)
    return [python, folder / "refexp_evaluate.py", *files], folder


def kosmos2_flickr(official: Path, python: str, data: Path) -> Placed | None:
    """As `vqa`, of the generated Flickr30k Entities files; the interpreter needs prettytable."""
    root = _root(official, f"{_KOSMOS2}/flickr_entities/flickr_entities_evaluate.py")
    if root is None:
        return None
    folder = root / _KOSMOS2 / "flickr_entities"
    return [
        *(python, folder / "flickr_entities_evaluate.py", data / flickr30k.REPLIES_FILE),
        *("--annotation_file", data / flickr30k.ANNOTATIONS_FILE),
        *("--flickr_entities_path", data),
    ], folder


def _root(official: Path, name: str) -> Path | None:
    """The checkout that has a file of this name: the folder itself or one directly in it."""
    folders = [official, *sorted(path for path in official.iterdir() if path.is_dir())]
    return next((folder.resolve() for folder in folders if (folder / name).is_file()), None)
