"""The built-in presets: that each can be used, and that their figures are those that were published."""

from __future__ import annotations

from importlib import resources
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest
import yaml

from eyechart import benchmarks, dialects, presets, scoring
from eyechart.io.yaml_text import load, read
from eyechart.presets import Preset
from eyechart.presets.checked import SLOTS, check
from eyechart.presets.published import is_of, rows
from eyechart.scoring.boxes import POLICIES

if TYPE_CHECKING:
    from pathlib import Path

FAMILIES = [
    "claude",
    "cogvlm-grounding",
    "deepseek-vl2",
    "ferret",
    "florence-2",
    "gemini",
    "glm-4.1v",
    "gpt",
    "griffon",
    "groma",
    "grounding-dino",
    "internvl",
    "kimi-vl",
    "kosmos-2",
    "llava-1.5",
    "llava-grounding",
    "mdetr",
    "mimo-vl",
    "minigpt-v2",
    "molmo",
    "moondream",
    "ofa",
    "paligemma",
    "qwen-vl",
    "qwen2-vl",
    "qwen2.5-vl",
    "qwen3-vl",
    "rex-omni",
    "shikra",
    "transvg",
]
# splits whose answers only the evaluation server has
SERVER_SIDE = {"vqav2/test-dev", "vqav2/test-std"}


def _text(name: str) -> str:
    return resources.files("eyechart.presets").joinpath(f"{name}.yaml").read_text("utf-8")


def test_every_family_has_one() -> None:
    assert presets.names() == tuple(sorted(FAMILIES))
    about = presets.known()
    assert list(about) == sorted(FAMILIES)
    assert all(about.values())


@pytest.mark.parametrize("name", FAMILIES)
def test_each_can_be_used(name: str) -> None:
    preset = presets.find(name)
    assert preset.name == name
    check(read(_text(name), Preset, name=f"{name}.yaml"))
    assert dialects.find(preset.dialect).name.partition(":")[0] == preset.dialect.partition(":")[0]
    assert preset.source
    assert all(prompt.source for prompt in preset.prompts.values())
    assert not preset.generation or preset.generation_source
    labels = {table.model for table in preset.published}
    assert set(preset.weights) <= labels


@pytest.mark.parametrize("name", FAMILIES)
def test_each_fits_the_published_schema(name: str) -> None:
    schema = presets.json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(yaml.safe_load(_text(name)), schema, cls=jsonschema.Draft202012Validator)


def test_the_schema_refuses_what_the_reader_refuses() -> None:
    def faults(plain: dict[str, Any]) -> list[str]:
        found = jsonschema.Draft202012Validator(presets.json_schema()).iter_errors(plain)
        return [one.message for one in found]

    good: dict[str, Any] = {"name": "a", "about": "b", "dialect": "json:pixels"}
    assert faults(good) == []
    assert faults({"name": "a", "about": "b"})
    assert faults(good | {"dialct": "x"})
    assert faults(good | {"prompts": {"grond": {"user": "x"}}})
    assert faults(good | {"prompts": {"ground": {"usr": "x"}}})
    assert faults(good | {"box_policy": "frst"})


@pytest.mark.parametrize("name", FAMILIES)
def test_each_survives_being_written(name: str, tmp_path: Path) -> None:
    preset = presets.find(name)
    text = presets.dump(preset, "written by a test")
    assert text.startswith("# written by a test\nname: ")
    assert load(text, Preset) == preset
    path = tmp_path / "own.yaml"
    path.write_text(text, encoding="utf-8")
    assert presets.find(str(path)) == preset


def test_prompts_have_the_slots_that_benchmarks_fill() -> None:
    by_task: dict[str, list[str]] = {}
    for name in ("chart/locate", "chart/phrases", "chart/answer", "chart/count"):
        benchmark, split = benchmarks.find(name)
        sample = next(benchmark.rows(None, split))
        by_task[benchmark.task] = list(sample.asked)
        assert set(sample.asked) == set(SLOTS[benchmark.task])
    for name in FAMILIES:
        for task, prompt in presets.find(name).prompts.items():
            if task in by_task:
                filled = prompt.user.format_map(dict.fromkeys(by_task[task], "@"))
                assert "@" in filled, (name, task)
            else:
                assert prompt.user.format_map({}), (name, task)


def test_policies_are_those_of_the_scorers() -> None:
    policy = presets.json_schema()["$defs"]["Preset"]["properties"]["box_policy"]
    assert set(policy["anyOf"][0]["enum"]) == set(POLICIES)


@pytest.mark.parametrize("name", FAMILIES)
def test_figures_name_benchmarks_and_metrics_that_exist(name: str) -> None:
    built = benchmarks.known()
    for row in rows(presets.find(name)):
        base, _, split = row.benchmark.partition("/")
        if base in built and split and row.benchmark not in SERVER_SIDE:
            assert split in built[base].splits, row.benchmark
        protocol = row.table.protocol
        if protocol:
            assert row.table.metric in {one.name for one in scoring.find(protocol).metrics}
            if base in built:
                assert built[base].task in scoring.find(protocol).tasks
        assert row.table.comparable or row.table.note
        assert row.table.source


def _figure(family: str, model: str, benchmark: str, metric: str) -> list[float]:
    preset = presets.find(family)
    return [
        row.value
        for row in rows(preset)
        if is_of(preset, model, row) and (row.benchmark, row.table.metric) == (benchmark, metric)
    ]


@pytest.mark.parametrize(
    ("family", "model", "benchmark", "metric", "value"),
    [
        ("kosmos-2", "microsoft/kosmos-2-patch14-224", "refcoco/val", "precision@1", 52.32),
        ("kosmos-2", "Kosmos-2", "refcocog/test", "precision@1", 61.65),
        ("kosmos-2", "Kosmos-2", "flickr30k/test", "recall@1", 78.7),
        ("ofa", "OFA-Huge", "refcoco+/testB", "acc@0.5", 80.71),
        ("mdetr", "mdetr_efficientnetB3", "refcoco/testA", "precision@1", 90.40),
        ("mdetr", "MDETR EB5", "flickr30k/test", "recall@1", 84.3),
        ("transvg", "TransVG R101", "refcocog-google/val", "acc@0.5", 68.0),
        ("transvg", "TransVG R50", "refcocog/test", "acc@0.5", 67.4),
        ("grounding-dino", "Grounding DINO-L", "refcoco+/val", "acc@0.5", 82.75),
        ("qwen-vl", "Qwen/Qwen-VL-Chat", "refcoco/testB", "acc@0.5", 84.51),
        ("qwen2-vl", "Qwen/Qwen2-VL-72B-Instruct", "refcocog/test", "acc@0.5", 90.4),
        ("qwen2.5-vl", "Qwen/Qwen2.5-VL-7B-Instruct", "refcoco/val", "acc@0.5", 90.0),
        ("qwen2.5-vl", "Qwen/Qwen2.5-VL-72B-Instruct", "refcoco-family", "acc@0.5", 90.3),
        ("qwen3-vl", "Qwen/Qwen3-VL-235B-A22B-Thinking", "refcoco-family", "acc@0.5", 92.1),
        ("qwen3-vl", "Qwen/Qwen3-VL-32B-Instruct", "countbench", "accuracy", 94.9),
        ("qwen3-vl", "Qwen/Qwen3-VL-4B-Thinking", "refcoco+/testB", "acc@0.5", 79.3),
        ("internvl", "OpenGVLab/InternVL3_5-241B-A28B", "refcoco/testA", "acc@0.5", 96.3),
        ("internvl", "OpenGVLab/InternVL2-8B", "refcocog/val", "acc@0.5", 82.7),
        ("cogvlm-grounding", "cogvlm-grounding-generalist-v1.1", "refcoco/val", "acc@0.5", 92.76),
        ("glm-4.1v", "zai-org/GLM-4.1V-9B-Thinking", "refcoco-family", "acc@0.5", 85.3),
        ("florence-2", "microsoft/Florence-2-base-ft", "refcocog/test", "acc@0.5", 82.2),
        ("florence-2", "microsoft/Florence-2-large-ft", "coco-captions", "cider", 143.3),
        ("paligemma", "PaliGemma-448", "tallyqa/complex", "accuracy", 72.27),
        ("paligemma", "PaliGemma-448", "refcocog/val", "mask_miou", 70.17),
        ("shikra", "Shikra-13B", "refcoco+/testA", "acc@0.5", 87.79),
        ("ferret", "Ferret-v2-13B", "refcoco/testA", "acc@0.5", 95.0),
        ("minigpt-v2", "minigpt-v2", "refcoco+/val", "acc@0.5", 79.97),
        ("llava-1.5", "llava-hf/llava-1.5-13b-hf", "vqav2/test-dev", "accuracy", 80.0),
        ("llava-grounding", "LLaVA-Grounding-7B", "refcocog/val", "acc@0.5", 84.8),
        ("deepseek-vl2", "deepseek-ai/deepseek-vl2", "refcoco/testB", "acc@0.5", 92.7),
        ("groma", "FoundationVision/groma-7b-finetune", "refcoco+/testA", "acc@0.5", 88.91),
        ("molmo", "allenai/Molmo-72B-0924", "countbenchqa", "accuracy", 91.2),
        ("gemini", "gemini-2.5-pro", "countqa/test", "accuracy", 42.9),
        ("gpt", "gpt-5", "refcoco-family", "acc@0.5", 66.8),
    ],
)
def test_figures_are_those_that_were_published(
    family: str, model: str, benchmark: str, metric: str, value: float
) -> None:
    assert _figure(family, model, benchmark, metric) == [value]


@pytest.mark.parametrize(
    ("family", "model", "benchmark"),
    [
        ("deepseek-vl2", "DeepSeek-VL2", "refcoco/testB"),
        ("florence-2", "Florence-2-base-ft", "refcocog/test"),
        ("grounding-dino", "Grounding DINO-L", "refcoco+/val"),
    ],
)
def test_doubtful_figures_say_so(family: str, model: str, benchmark: str) -> None:
    preset = presets.find(family)
    found = [
        row for row in rows(preset) if row.benchmark == benchmark and is_of(preset, model, row)
    ]
    assert [bool(row.table.note) for row in found] == [True]


@pytest.mark.parametrize(
    ("family", "task", "user"),
    [
        ("kosmos-2", "ground", "<grounding><phrase>{expression}</phrase>"),
        ("ofa", "ground", ' which region does the text " {expression} " describe?'),
        (
            "qwen2.5-vl",
            "ground",
            "Locate {expression} in this image and output the bbox coordinates in JSON format.",
        ),
        ("qwen-vl", "ground", "<ref>{expression}</ref><box>"),
        ("paligemma", "caption", "caption en"),
        (
            "llava-1.5",
            "answer",
            "{question}\nAnswer the question using a single word or phrase.",
        ),
        (
            "molmo",
            "ground",
            "Point to {expression}\nPlease say 'This isn't in the image.' if it is not in the image.",
        ),
        ("deepseek-vl2", "ground", "<|ref|>{expression}<|/ref|>."),
    ],
)
def test_prompts_are_those_of_the_authors(family: str, task: Any, user: str) -> None:
    assert presets.find(family).prompts[task].user == user


def test_settings_of_a_task_are_laid_over_the_familys() -> None:
    qwen = presets.find("qwen-vl")
    assert qwen.settings("ground") == {"temperature": 0, "max_tokens": 28, "min_tokens": 10}
    assert qwen.settings("answer") == {"temperature": 0, "max_tokens": 10}
    assert qwen.settings("count") == {"temperature": 0}


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("Qwen/Qwen2.5-VL-7B-Instruct", "qwen2.5-vl"),
        ("openai:qwen2.5vl:7b", "qwen2.5-vl"),
        ("Qwen/Qwen2-VL-7B-Instruct-AWQ", "qwen2-vl"),
        ("Qwen/Qwen-VL", "qwen-vl"),
        ("Qwen/Qwen3-VL-235B-A22B-Thinking", "qwen3-vl"),
        ("OpenGVLab/InternVL3_5-8B", "internvl"),
        ("openai:gpt-5-mini", "gpt"),
        ("google/gemini-2.5-pro", "gemini"),
        ("liuhaotian/llava-v1.5-7b", "llava-1.5"),
        ("microsoft/kosmos-2.5", None),
        ("my-own-model", None),
        ("", None),
    ],
)
def test_the_family_that_a_models_name_hints_at(model: str, family: str | None) -> None:
    found = presets.of_model(model)
    assert (found.name if found else None) == family


def test_the_files_are_in_the_wheel() -> None:
    builder = pytest.importorskip("hatchling.builders.wheel")
    root = resources.files("eyechart").joinpath("..", "..")
    if not (root / "pyproject.toml").is_file():
        pytest.skip("not a checkout")
    files = builder.WheelBuilder(str(root)).recurse_included_files()
    shipped = {file.distribution_path for file in files}
    assert {f"eyechart/presets/{name}.yaml" for name in FAMILIES} <= shipped
