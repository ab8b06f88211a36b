"""REFER's own `refer.py` on small data sets: refer_api.jsonl.

Compared are the calls that eyechart has, `Refer` being its reading of the two files:

| refer.py | here |
|---|---|
| opening (error: no such data set) | `refer.locate` finds nothing |
| getRefIds(), getRefIds(split=S) | `Refer.ref_ids(S)`; where refer.py ends the program, `DataError` |
| loadRefs, loadAnns, loadImgs, loadCats of an id or a list of ids | `refs`, `annotations`, `pictures`, `categories` |
| getRefBox | the annotation of the ref, and the box of each of its phrases as xyxy |
| getImgIds(ref_ids=...) | the pictures of the refs |
| attribute Cats | `categories` |
| attribute sentToTokens | the ids of the sentences |

Not compared, since eyechart has no such call: getAnnIds, getRefIds narrowed by pictures, categories
or ids, loading by what is no id (refer.py gives None), annToRef and the attributes of folders.
"""

from __future__ import annotations

import itertools
import json
import pickle
import struct
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from eyechart.errors import DataError
from eyechart.formats.data import Data
from eyechart.formats.refer import Refer, locate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conformance.frame import Records


def python_2(value: Any, protocol: int, memo: Iterator[int]) -> bytes:
    """What Python 2 writes for lists, dictionaries, texts (its `str`) and numbers; no full stop."""
    if isinstance(value, str):
        raw = value.encode()
        quoted = "".join(
            chr(b) if 32 <= b < 127 and b not in b"'\\" else f"\\x{b:02x}" for b in raw
        )
        short = b"U" + bytes((len(raw),)) if len(raw) < 256 else b"T" + struct.pack("<i", len(raw))
        written = short + raw if protocol else b"S'" + quoted.encode() + b"'\n"
        return written + put(next(memo), protocol)
    if isinstance(value, int):
        return b"J" + struct.pack("<i", value) if protocol else b"I%d\n" % value
    if isinstance(value, float):
        return b"G" + struct.pack(">d", value) if protocol else b"F%s\n" % repr(value).encode()
    begin = put(next(memo), protocol)
    letters = b"]e(la" if isinstance(value, list) else b"}u(ds"
    pairs = [(one,) for one in value] if isinstance(value, list) else list(value.items())
    items = [b"".join(python_2(one, protocol, memo) for one in pair) for pair in pairs]
    if protocol:
        return letters[:1] + begin + b"(" + b"".join(items) + letters[1:2]
    return letters[2:4] + begin + b"".join(item + letters[4:] for item in items)


def put(place: int, protocol: int) -> bytes:
    if not protocol:
        return b"p%d\n" % place
    return b"q" + bytes((place,)) if place < 256 else b"r" + struct.pack("<I", place)


def write(record: dict[str, Any], root: Path, protocol: int) -> Data:
    folder = root / record["dataset"]
    folder.mkdir()
    head = b"\x80\x02" if protocol == 2 else b""
    content = head + python_2(record["refs"], protocol, itertools.count()) + b"."
    assert pickle.loads(content) == record["refs"]
    (folder / f"refs({record['split_by']}).p").write_bytes(content)
    (folder / "instances.json").write_text(json.dumps(record["instances"]))
    return Data(root, need_images=False)


def as_list(ids: Any) -> list[Any] | None:
    """The ids that a load call names, or None where eyechart has no such call."""
    if isinstance(ids, int):
        return [ids]
    return ids if isinstance(ids, list) else None


def ref_facts(refs: list[dict[str, Any]]) -> list[Any]:
    keys = ("ref_id", "ann_id", "image_id", "category_id", "split")
    return [
        (*(one[key] for key in keys), [(s["sent_id"], s["sent"]) for s in one["sentences"]])
        for one in refs
    ]


def own_facts(refer: Refer, ids: list[int]) -> list[Any]:
    found = [refer.refs[one] for one in ids]
    return [
        (r.ref_id, r.ann_id, r.image_id, r.category_id, r.split,
         [(s.sent_id, s.sent) for s in r.sentences])
        for r in found
    ]  # fmt: skip


def annotation_facts(annotations: list[dict[str, Any]]) -> list[Any]:
    return [(a["id"], a["image_id"], a["category_id"], a["bbox"]) for a in annotations]


def picture_facts(pictures: list[dict[str, Any]]) -> list[Any]:
    return [(p["id"], p["file_name"], p["width"], p["height"]) for p in pictures]


def load(refer: Refer, op: str, ids: list[int]) -> Any:
    """What eyechart answers to a load call, in the facts that it keeps."""
    if op == "loadRefs":
        return own_facts(refer, ids)
    if op == "loadAnns":
        annotations = [refer.annotations[one] for one in ids]
        return [(a.id, a.image_id, a.category_id, list(a.bbox)) for a in annotations]
    if op == "loadImgs":
        pictures = [refer.pictures[one] for one in ids]
        return [(p.id, p.file_name, p.width, p.height) for p in pictures]
    return [refer.categories[one] for one in ids]


LOADS = {
    "loadRefs": ("ref_ids", ref_facts),
    "loadAnns": ("ann_ids", annotation_facts),
    "loadImgs": ("image_ids", picture_facts),
    "loadCats": ("cat_ids", list),
}


def compare(refer: Refer, call: dict[str, Any]) -> bool:
    """Compares one call; False where eyechart has none such."""
    op, args = call["op"], call.get("args", {})
    if op == "getRefIds":
        return ref_ids(refer, call, args)
    if op in LOADS:
        return loaded(refer, call, args)
    if op == "getRefBox":
        return box(refer, call, args["ref_id"])
    if op == "getImgIds" and set(args) == {"ref_ids"}:
        ids = as_list(args["ref_ids"])
        assert ids is not None
        if call["error"]:
            with pytest.raises(KeyError):
                own_facts(refer, ids)
        else:
            assert {refer.refs[one].image_id for one in ids} == set(call["result"])
        return True
    return op == "attr" and attribute(refer, call)


def ref_ids(refer: Refer, call: dict[str, Any], args: dict[str, Any]) -> bool:
    if set(args) - {"split"}:
        return False
    split = args.get("split", "")
    if call["error"]:
        assert call["error"].startswith("SystemExit"), call
        with pytest.raises(DataError, match="no split"):
            refer.ref_ids(split)
    else:
        assert refer.ref_ids(split) == call["result"], call
        # the phrases are those of these refs
        of = Counter(int(tags["ref"]) for _, tags in refer.phrases(split))
        assert of == Counter({one: len(refer.refs[one].sentences) for one in call["result"]})
    return True


def loaded(refer: Refer, call: dict[str, Any], args: dict[str, Any]) -> bool:
    name, facts = LOADS[call["op"]]
    ids = as_list(args.get(name))
    if ids is None:
        return False
    if call["error"]:
        assert call["error"] == "KeyError", call
        with pytest.raises(KeyError):
            load(refer, call["op"], ids)
    else:
        assert load(refer, call["op"], ids) == facts(call["result"]), call
    return True


def box(refer: Refer, call: dict[str, Any], ref_id: int) -> bool:
    if call["error"]:
        assert call["error"] == "KeyError", call
        assert ref_id not in refer.refs
        return True
    x, y, width, height = call["result"]
    assert refer.annotations[refer.refs[ref_id].ann_id].bbox == (x, y, width, height)
    boxes = {phrase.boxes for phrase, tags in refer.phrases() if tags["ref"] == str(ref_id)}
    assert boxes == {((x, y, x + width, y + height),)}
    return True


def attribute(refer: Refer, call: dict[str, Any]) -> bool:
    if call["name"] == "Cats":
        assert {str(one): name for one, name in refer.categories.items()} == dict(call["result"])
        return True
    if call["name"] == "sentToTokens":
        assert {phrase.id for phrase, _ in refer.phrases()} == {one for one, _ in call["result"]}
        return True
    return False


@pytest.mark.parametrize("protocol", [0, 1, 2])
def test_refer_api(records: Records, tmp_path: Path, protocol: int) -> None:
    compared: Counter[str] = Counter()
    left: Counter[str] = Counter()
    found_records = records("refer_api")
    for number, record in enumerate(found_records):
        root = tmp_path / str(number)
        root.mkdir()
        data = write(record, root, protocol)
        found = locate(data, record["opened_as"], record["split_by"])
        if record["error"]:
            assert found is None
            assert not record["calls"]
            compared["open"] += 1
            continue
        assert found is not None
        refer = Refer(*found)
        compared["open"] += 1
        for call in record["calls"]:
            (compared if compare(refer, call) else left)[call["op"]] += 1
    # nothing is passed over, and whatever is left is of a kind named above
    calls = sum(len(record["calls"]) for record in found_records)
    assert compared["open"] == len(found_records)
    assert compared.total() + left.total() == len(found_records) + calls
    assert set(left) <= {"getAnnIds", "getImgIds", "getRefIds", "loadRefs", "loadAnns", "attr"}, (
        left
    )
    for op in ("getRefIds", "loadRefs", "loadAnns", "loadImgs", "loadCats", "getRefBox"):
        assert compared[op], op
