"""The wordings in which a probe asks, none of which names a scale, and which of them go on."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eyechart.runs.probe.readings import Item

PILOT = 2  # scenes on which every wording is tried
GOING_ON = 3  # wordings that are asked about all scenes
_PER_SCENE = 4  # requests a scene, over all wordings, at most


@dataclass(frozen=True, slots=True)
class Form:
    """One wording; `{expression}` in `prompt` is what is asked for."""

    name: str
    prompt: str
    source: str
    system: str | None = None

    def words(self, expression: str) -> str:
        """The wording for one expression."""
        return self.prompt.replace("{expression}", expression)


FORMS = (
    Form(
        "bbox_2d",
        "Locate {expression} in this image. Answer in JSON, with its bounding box under the key "
        '"bbox_2d".',
        "eyechart",
    ),
    Form(
        "bbox-json",
        "Locate {expression} in this image and output the bbox coordinates in JSON format.",
        "Qwen2.5-VL: QwenLM/Qwen3-VL issue 991",
    ),
    Form(
        "sentence",
        "Please provide the bounding box coordinate of the region this sentence describes: "
        "{expression}",
        "LLaVA-1.5's training mixture; Qwen2-VL: QwenLM/Qwen3-VL issue 536",
    ),
    Form(
        "box_2d",
        "Detect the 2d bounding boxes of {expression}",
        "Gemini: google-gemini/cookbook quickstarts/Spatial_understanding.ipynb",
        "Return bounding boxes as a JSON array with labels. Never return masks or code fencing. "
        "Limit to 25 objects.",
    ),
    Form(
        "grounding",
        "<grounding><phrase>{expression}</phrase>",
        "Kosmos-2: microsoft/unilm kosmos-2/evaluation/refcoco/cook_data.py",
    ),
    Form(
        "refer",
        "[refer] give me the location of {expression}",
        "MiniGPT-v2: Vision-CAIR/MiniGPT-4",
    ),
    Form("detect", "detect {expression}", "PaliGemma: google-research/big_vision"),
    Form(
        "point",
        "Point to {expression}\nPlease say 'This isn't in the image.' if it is not in the image.",
        "Molmo: allenai/molmo",
    ),
    Form(
        "text-region",
        ' which region does the text " {expression} " describe?',
        "OFA: OFA-Sys/OFA data/mm_data/refcoco_dataset.py",
    ),
    Form(
        "phrases",
        "Locate the phrases in the caption: {expression}",
        "Florence-2: <CAPTION_TO_PHRASE_GROUNDING>",
    ),
    Form(
        "ref-tags",
        "<|ref|>{expression}<|/ref|>.",
        "DeepSeek-VL2: deepseek-ai/DeepSeek-VL2 README",
    ),
    Form(
        "where",
        "Where is {expression}? answer in [[x0,y0,x1,y1]] format.",
        "CogVLM: Shikra's templates",
    ),
)


def going_on(pilot: Sequence[Item], scenes: int) -> list[Form]:
    """The wordings that are asked about the other scenes too; none where no reply was readable.

    Those that were answered readably most often, and among these first such as are answered in a
    syntax that no wording before them brought out. As many as keep the requests of all rounds
    within four a scene.
    """
    readable = Counter(item.form.name for item in pilot if item.readable)
    tried = len({item.scene.index for item in pilot})
    able = sorted(
        (form for form in FORMS if readable[form.name]), key=lambda form: -readable[form.name]
    )
    number = max(1, min(GOING_ON, (_PER_SCENE * scenes - len(pilot)) // max(1, scenes - tried)))
    seen: set[tuple[str, ...]] = set()
    fresh: list[Form] = []
    others: list[Form] = []
    for form in able:
        found = {item.signature for item in pilot if item.form is form and item.readable}
        (others if found <= seen else fresh).append(form)
        seen |= found
    chosen = set((fresh + others)[:number])
    return [form for form in FORMS if form in chosen]
