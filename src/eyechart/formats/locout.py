"""Prediction files of fairseq's generation (`.locout`): the lines marked `H-`.

Source of the rule: microsoft/unilm, `kosmos-2/evaluation/refcoco/refexp_evaluate.py`.
"""

from __future__ import annotations

import re

# Text mode's line ends: a lone carriage return counts, U+2028 and form feeds do not.
_LINE_END = re.compile(r"\r\n|\r|\n")


def read_h_lines(text: str) -> list[str]:
    """The hypothesis lines of a prediction file, in its order, without their line ends.

    A line is kept whose first tab-separated field contains `H-` anywhere and ends, after its last
    hyphen, in digits only (`H-12`, `12: xxH-foo-12`). The number is not used and nothing is sorted.
    """
    if "\r" in text:
        text = _LINE_END.sub("\n", text)
    kept = []
    for line in text.split("\n"):
        field = line.partition("\t")[0]
        if "H-" in field and field.rpartition("-")[2].isdigit():
            kept.append(line)
    return kept
