"""Visual question answering: the official VQAv2 accuracy, its kin, and how they differ.

`vqa_v2` computes what GT-Vision-Lab/VQA, `PythonEvaluationTools/vqaEvaluation/vqaEval.py`, computes,
digit for digit: equality of strings after its own normalisation, leave-one-out over the human
answers; no synonyms, no partial matches. The other protocols say in `about` what they are not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyechart.errors import DataError
from eyechart.scoring import Metric, Protocol
from eyechart.scoring.vqa import coded as coding
from eyechart.scoring.vqa import levels, rules, yardsticks
from eyechart.scoring.vqa.coded import Coded
from eyechart.scoring.vqa.official import added, printed, results_by_question, totals
from eyechart.scoring.vqa.rules import Rule
from eyechart.text import wordnet as dictionaries
from eyechart.values import Reading, Sample

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from eyechart.scoring import Yardstick
    from eyechart.scoring.vqa.rules import Record
    from eyechart.text.wordnet import WordNet

__all__ = ["accuracies", "accuracy", "printed", "results_by_question", "soft", "totals"]

_OFFICIAL = "GT-Vision-Lab/VQA PythonEvaluationTools/vqaEvaluation/vqaEval.py, a013f0043c1e"
_LAVIS = "salesforce/LAVIS lavis/common/vqa_tools/vqa_eval.py, 200ac1725699"
_M4C = "facebookresearch/mmf mmf/utils/m4c_evaluators.py, 2dc099af7ce2"


def accuracies(
    answers: Iterable[Sequence[Record]], replies: Iterable[str], rule: Rule = rules.V2
) -> list[float]:
    """Each question's accuracy, an unrounded ratio, by the official rule or another.

    `answers` holds one sequence of records a question, an `Answer` or a mapping with at least
    `answer`; `replies` is aligned with it.

    Raises:
        DataError: a question without human answers, an answer or a reply that is not text; the
            message says which (counted from 1).
    """
    rows, said = list(answers), list(replies)
    if rule.people is None and all(isinstance(reply, str) for reply in said):
        try:
            coded = Coded(rows)  # type: ignore[arg-type]
        except (AttributeError, TypeError, ValueError):
            pass  # mappings, or something that the rule itself refuses by its place
        else:
            if len(coded) == len(said):
                column: list[float] = rule.judge(coded, coded.code(said)).tolist()
                return column
    scores = []
    for place, (records, reply) in enumerate(zip(rows, said, strict=True), 1):
        try:
            scores.append(rules.accuracy(records, reply, rule))
        except DataError as error:
            raise DataError(f"question {place}: {error}") from None
    return scores


def accuracy(records: Sequence[Record], reply: str, rule: Rule = rules.V2) -> float:
    """One question's accuracy, an unrounded ratio, by the official rule or another.

    Raises:
        DataError: no human answers, an answer or a reply that is not text.
    """
    return rules.accuracy(records, reply, rule)


def _read(_sample: Sample, text: str) -> Reading:
    """The reply is the answer, as it stands; an empty one that was really said is one too."""
    return Reading(status="ok", value=text)


def _protocol(name: str, judge: Rule | levels.Soft, metric: str, **facts: Any) -> Protocol:
    """A protocol of one metric, `accuracy`, that judges replies as they stand."""

    def score(samples: Sequence[Sample], readings: Sequence[Reading]) -> dict[str, Sequence[float]]:
        coded = coding.take(samples, name)
        if isinstance(judge, Rule) and judge.people is not None:
            _all_have(judge, samples, coded)
        column = judge.judge(coded, coded.code([reading.value for reading in readings]))
        coding.keep(coded)
        return {"accuracy": column.tolist()}

    def beside(samples: Sequence[Sample]) -> list[Yardstick]:
        return yardsticks.of(judge, samples, coding.take(samples, name))

    return Protocol(
        **{"version": 1, **facts},
        name=name,
        tasks=frozenset({"answer"}),
        metrics=(Metric("accuracy", metric),),
        primary="accuracy",
        score=score,
        read_text=_read,
        text_alone=True,
        yardsticks=beside,
    )


def _all_have(rule: Rule, samples: Sequence[Sample], coded: Coded) -> None:
    for block in coded.blocks:
        if len(block.codes) != rule.people:
            sample = samples[int(block.rows[0])]
            said = rules.miscounted(len(block.codes), rule)
            raise DataError(f"sample {sample.id}: {said}")


def _totals(samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    if not samples:
        return {}
    return totals(
        columns["accuracy"],
        [sample.tags.get("answer_type") for sample in samples],
        [sample.tags.get("question_type") for sample in samples],
    )


def _official(samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    found = _totals(samples, columns)
    return {**found, "printed": printed(found)} if found else {}


def _mean(samples: Sequence[Sample], columns: Mapping[str, Sequence[float]]) -> dict[str, Any]:
    if not samples:
        return {}
    return {"accuracy": added(columns["accuracy"]) / len(samples)}


VQA_V2 = _protocol(
    "vqa_v2",
    rules.V2,
    "leave-one-out agreement with the human answers, min(1, others / 3)",
    about="VQAv2 accuracy as the official evaluation computes it, unanimous answers as they stand",
    formula="mean over people of min(1, equal answers of the others / 3); texts normalised, "
    "unless all people gave the same",
    source=_OFFICIAL,
    official=_official,
    version=2,
    reasoning="keep",
)

VQA_LAVIS = _protocol(
    "vqa_lavis",
    rules.LAVIS,
    "leave-one-out agreement by the older rules, min(1, others / 3)",
    about="the older VQA rules, as LAVIS has them: digits, articles and contractions are changed in "
    "the reply only; not the official score",
    formula="mean over people of min(1, equal answers of the others / 3); reply normalised, human "
    "answers by the punctuation rule only, unless all are the same",
    source=_LAVIS,
    official=_totals,
    reasoning="keep",
)

VQA_NORMALISED = _protocol(
    "vqa_normalised",
    rules.NORMALISED,
    "leave-one-out agreement, min(1, others / 3), all texts normalised",
    about="VQAv2 accuracy with every text normalised, unanimous answers too; not the official score",
    formula="mean over people of min(1, equal answers of the others / 3); all texts normalised",
    source="eyechart",
)

VQA_SIMPLE = _protocol(
    "vqa_simple",
    rules.SIMPLE,
    "min(1, people who said the same / 3)",
    about="people who said the same, of three, nobody left out; not the official score",
    formula="min(1, equal answers / 3); all texts normalised",
    source="eyechart",
)

VQA_VOTES = _protocol(
    "vqa_votes",
    rules.VOTES,
    "min(1, 0.1 x people who said the same)",
    about="a tenth for each person who said the same; not the official score",
    formula="min(1, 0.1 x equal answers); all texts normalised",
    source="eyechart",
)

VQA_EXACT = _protocol(
    "vqa_exact",
    rules.EXACT,
    "the reply equals one of the answers, both normalised",
    about="equal to any of the true answers after VQAv2's normalisation; not the official score",
    formula="1 if any answer equals the reply, else 0; all texts normalised",
    source="eyechart",
)

TEXTVQA = _protocol(
    "textvqa",
    rules.TEXTVQA,
    "leave-one-out agreement with ten human answers, min(1, others / 3)",
    about="TextVQA accuracy as the M4C evaluator computes it; its text rules are not VQAv2's",
    formula="mean over ten people of min(1, equal answers of the others / 3); texts in lower case "
    "without commas and question marks, 's apart, then normalised",
    source=_M4C,
    official=_mean,
    reasoning="keep",
)


def soft(wordnet: str = "") -> Protocol:
    """The protocol `vqa_soft` with the WordNet dictionary at a path, or the installed one.

    Raises:
        UsageError: no dictionary is there; the message says how to get one.
    """
    dictionary = dictionaries.find(wordnet)
    return _soft(lambda: dictionary, {"wordnet": wordnet} if wordnet else {})


def _soft(dictionary: Callable[[], WordNet], options: Mapping[str, Any]) -> Protocol:
    return _protocol(
        "vqa_soft",
        levels.Soft(dictionary),
        "soft match in three levels, capped at 1",
        about="soft match: exact, synonym or partial, which also rewards long replies; it is not "
        "VQA accuracy, nor a score that OFA's own code has",
        formula="min(1, sum over people of 0.3 exact or contained, 0.3 WordNet synonym, 0.1 shared "
        "word); all texts normalised",
        source="eyechart, by the description given to users of OFA",
        options=options,
        ready=dictionary,
    )


VQA_SOFT = _soft(dictionaries.find, {})
