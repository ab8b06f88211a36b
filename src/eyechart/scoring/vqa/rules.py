"""The rules of the VQA protocols: what is compared with what, and what agreement is worth.

Source of the rule that others vary: GT-Vision-Lab/VQA,
`PythonEvaluationTools/vqaEvaluation/vqaEval.py`, commit a013f0043c1e.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eyechart.errors import DataError
from eyechart.text.vqa import clean, m4c, process, punctuation
from eyechart.values import Answer

if TYPE_CHECKING:
    from eyechart.scoring.vqa.coded import Block, Coded, Flags, Integers

Record = Answer | Mapping[str, Any]
Floats = np.ndarray[Any, np.dtype[np.float64]]

# what 0, 1, 2 ... people who said the same are worth; more than the last are worth the last
THIRDS = (0.0, 1 / 3, 2 / 3, 1.0)
TENTHS = tuple(count / 10 for count in range(11))
ANYBODY = (0.0, 1.0)


def as_it_stands(text: str) -> str:
    """The text itself."""
    return text


@dataclass(frozen=True, slots=True)
class Rule:
    """How a protocol compares a reply with the human answers of a question.

    `human` and `reply` make of either what is compared. Where `agreed` makes the same of all human
    answers, they are compared as it leaves them, with the reply as `agreed_reply` leaves that.
    `worth` is that of 0, 1, 2 ... people who said the same; with `leave_one_out` each person in
    turn is left out and the mean is taken. `people` is the number of answers that there must be.
    """

    worth: tuple[float, ...]
    human: Callable[[str], str] = process
    reply: Callable[[str], str] = process
    agreed: Callable[[str], str] | None = None
    agreed_reply: Callable[[str], str] = as_it_stands
    leave_one_out: bool = True
    people: int | None = None

    def judge(self, coded: Coded, replies: Integers) -> Floats:
        """Each question's accuracy, an unrounded ratio; `replies` are codes, -1 where is none.

        Bit for bit what `accuracy` gives question by question.
        """
        column = np.zeros(len(coded))
        for block in coded.blocks:
            humans, alike = self._humans(coded, block)
            said = replies[block.rows]
            keys = np.where(said < 0, -1, self._said(coded, said, alike))
            column[block.rows] = self._worth(humans == keys)
        if self.leave_one_out and coded.odd:
            texts = coded.texts()
            for row in coded.odd:
                if replies[row] >= 0:
                    column[row] = accuracy(coded.answers[row], texts[replies[row]], self)
        return column

    def ceiling(self, coded: Coded) -> Floats | None:
        """What people are worth by this rule: each one's answer judged by the others', the mean.

        The answers are prepared as the question's own are, and the others are the other people,
        whatever their records' ids. None where a question has one answer only: nobody is there to
        judge it.
        """
        column = np.zeros(len(coded))
        worth = np.array(self.worth)
        for block in coded.blocks:
            count = len(block.codes)
            if count < 2:
                return None
            humans, alike = self._humans(coded, block)
            total = np.zeros(len(block.rows))
            for itself, codes in zip(humans, block.codes, strict=True):
                own = self._said(coded, codes, alike)
                others = (humans == own).sum(axis=0) - (itself == own)
                total += worth[np.minimum(others, len(worth) - 1)]
            column[block.rows] = total / count
        return column

    def _humans(self, coded: Coded, block: Block) -> tuple[Integers, Flags | None]:
        """Keys of the human answers (people, questions), and where all of them agreed."""
        humans = coded.keys(self.human)[block.codes]
        if self.agreed is None:
            return humans, None
        bare = coded.keys(self.agreed)[block.codes]
        alike = (bare == bare[0]).all(axis=0)
        humans[:, alike] = bare[:, alike]
        return humans, alike

    def _said(self, coded: Coded, codes: Integers, alike: Flags | None) -> Integers:
        """Keys of replies (questions,)."""
        keys: Integers = coded.keys(self.reply)[codes]
        if alike is not None and self.agreed_reply is not self.reply:
            keys[alike] = coded.keys(self.agreed_reply)[codes[alike]]
        return keys

    def _worth(self, hit: Flags) -> Floats:
        """What matches (people, questions) are worth."""
        count, most = len(hit), len(self.worth) - 1
        same = hit.sum(axis=0)
        worth = np.array(self.worth)
        if not self.leave_one_out:
            direct: Floats = worth[np.minimum(same, most)]
            return direct
        column: Floats = (same > most).astype(np.float64)
        # with fewer, the last bit depends on the order in which the people are added
        few = np.flatnonzero((same > 0) & (same <= most))
        others = same[few]
        total = np.zeros(len(few))
        for own in hit[:, few]:
            total += worth[others - own]
        column[few] = total / count
        return column


def accuracy(records: Sequence[Record], reply: str, rule: Rule) -> float:
    """One question's accuracy by a rule, an unrounded ratio.

    For each person the others are those whose whole record differs once its answer is prepared
    (answer, id, confidence), so records without distinct ids drop out together: ten identical ones
    give 0.

    Raises:
        DataError: no human answers or not as many as there must be, an answer or a reply that is
            not text.
    """
    if not records:
        raise DataError("there are no human answers.")
    if rule.people not in (None, len(records)):
        raise DataError(miscounted(len(records), rule))
    if not isinstance(reply, str):
        raise DataError(f"the reply must be text, it is {reply!r}.")
    texts = [_text(record) for record in records]
    bare = [rule.agreed(text) for text in texts] if rule.agreed is not None else []
    if bare and len(set(bare)) == 1:
        texts, said = bare, rule.agreed_reply(reply)
    else:
        texts, said = [rule.human(text) for text in texts], rule.reply(reply)
    same, most = texts.count(said), len(rule.worth) - 1
    if same == 0 or not rule.leave_one_out:
        return rule.worth[min(same, most)]
    alike = _alike(records, texts)
    total = 0.0
    for text, itself in zip(texts, alike, strict=True):
        total += rule.worth[min(same - itself if text == said else same, most)]
    return total / len(texts)


def miscounted(count: int, rule: Rule) -> str:
    """What is said of a question with another number of answers than there must be."""
    return (
        f"it has {count} human answers, and this protocol is defined for {rule.people}; "
        "vqa_normalised takes any number."
    )


def _text(record: Record) -> str:
    text = record.answer if isinstance(record, Answer) else record.get("answer")
    if not isinstance(text, str):
        raise DataError(f"a human answer must be text, it is {text!r}.")
    return text


def _alike(records: Sequence[Record], texts: Sequence[str]) -> list[int]:
    """How many records equal each one, itself included, once its answer reads as in `texts`."""
    ids = [r.answer_id if isinstance(r, Answer) else r.get("answer_id") for r in records]
    if len({i for i in ids if isinstance(i, int | str)}) == len(records):
        return [1] * len(records)
    whole: list[Any] = []
    for record, text in zip(records, texts, strict=True):
        if isinstance(record, Answer):
            whole.append((text, record.answer_id, record.confidence))
        else:
            whole.append({**record, "answer": text})
    return [sum(one == other for other in whole) for one in whole]


V2 = Rule(THIRDS, agreed=clean, agreed_reply=clean)
LAVIS = Rule(THIRDS, human=punctuation, agreed=as_it_stands, agreed_reply=process)
NORMALISED = Rule(THIRDS)
SIMPLE = Rule(THIRDS, leave_one_out=False)
VOTES = Rule(TENTHS, leave_one_out=False)
EXACT = Rule(ANYBODY, leave_one_out=False)
TEXTVQA = Rule(THIRDS, human=m4c, reply=m4c, people=10)
