from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eyechart.errors import DataError, MissingPictures
from eyechart.formats.data import Data

if TYPE_CHECKING:
    from pathlib import Path


def test_a_file_named_directly_is_taken_whatever_its_name(tmp_path: Path) -> None:
    odd = tmp_path / "whatever.bin"
    odd.touch()
    assert Data(odd).file("refcoco_val.json") == odd


@pytest.mark.parametrize("place", ["", "annotations"])
@pytest.mark.parametrize("name", ["refcoco_val.json", "refcoco_val.json.gz", "refcoco_val.x.json"])
def test_known_names_are_found_with_suffix_and_packed(
    tmp_path: Path, place: str, name: str
) -> None:
    path = tmp_path / place / name
    path.parent.mkdir(exist_ok=True)
    path.touch()
    (tmp_path / "refcoco+_val.json").touch()
    assert Data(tmp_path).file("refcoco_val.json", "refcoco_val.*.json") == path


def test_the_unpacked_file_goes_before_the_packed_and_the_exact_name_before_others(
    tmp_path: Path,
) -> None:
    for name in ("a.json", "a.json.gz", "a.small.json"):
        (tmp_path / name).touch()
    assert Data(tmp_path).file("a.json", "a.*.json").name == "a.json"


def test_two_candidates_are_an_error_that_names_both(tmp_path: Path) -> None:
    for name in ("a.1.json", "a.2.json"):
        (tmp_path / name).touch()
    with pytest.raises(DataError, match=r"a\.1\.json.*a\.2\.json.*--data"):
        Data(tmp_path).file("a.*.json")


def test_a_missing_file_names_patterns_and_places(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        Data(tmp_path).file("a.json", "b.json")
    message = str(caught.value)
    assert "a.json or b.json" in message
    assert str(tmp_path / "annotations") in message
    assert "--data" in message
    with pytest.raises(DataError, match="--data PATH"):
        Data(None).file("a.json")
    assert Data(tmp_path).optional_file("a.json") is None


def test_parts_of_the_first_name_that_is_there(tmp_path: Path) -> None:
    for name in ("b-1.parquet", "b-0.parquet", "c.jsonl"):
        (tmp_path / name).touch()
    found = Data(tmp_path).files("a*.parquet", "b*.parquet", "c*.jsonl")
    assert [path.name for path in found] == ["b-0.parquet", "b-1.parquet"]
    with pytest.raises(DataError, match=r"d\*\.json"):
        Data(tmp_path).files("d*.json")


def test_paths_that_do_not_exist_are_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere"):
        Data(tmp_path / "nowhere")
    with pytest.raises(DataError, match="--images"):
        Data(tmp_path, images=tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("stored", "name"),
    [
        ("a.jpg", "a.jpg"),
        ("images/a.jpg", "a.jpg"),
        ("train2014/a.jpg", "a.jpg"),
        ("test2015/a.jpg", "a.jpg"),
        ("deep/er/a.jpg", "deep/er/a.jpg"),
        ("images/er/a.jpg", "er/a.jpg"),
    ],
)
@pytest.mark.parametrize("elsewhere", [True, False])
def test_pictures_are_found_where_data_sets_keep_them(
    tmp_path: Path, stored: str, name: str, elsewhere: bool
) -> None:
    path = tmp_path / "pictures" / stored
    path.parent.mkdir(parents=True)
    path.touch()
    (tmp_path / "data").mkdir()
    root = tmp_path / "pictures"
    data = Data(tmp_path / "data", images=root) if elsewhere else Data(root)
    image = data.image(name, 4, 3)
    assert (image.name, image.source, image.width, image.height) == (name, str(path), 4, 3)
    assert data.missing == {}


def test_an_absolute_name_is_taken_as_given(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    path.touch()
    assert Data(None).image(str(path)).source == str(path)


def test_all_missing_pictures_are_told_at_once(tmp_path: Path) -> None:
    data = Data(tmp_path, images=tmp_path)
    for number in range(7):
        assert data.image(f"{number}.jpg").source == ""
        data.image(f"{number}.jpg")
    assert len(data.missing) == 7
    with pytest.raises(MissingPictures) as caught:
        data.check_images()
    message = str(caught.value)
    assert message.startswith("7 pictures not found: 0.jpg, 1.jpg, 2.jpg and 4 more")
    assert caught.value.names == tuple(f"{number}.jpg" for number in range(7))
    assert any(place.startswith(str(tmp_path / "val2014")) for place in caught.value.places)
    assert "--images" in message
    with pytest.raises(DataError, match=r"^1 picture not found: 6\.jpg"):
        data.check_images({"6.jpg", "there.jpg"})
    data.check_images(set())


def test_nothing_is_looked_up_where_pictures_are_not_needed(tmp_path: Path) -> None:
    (tmp_path / "a.jpg").touch()
    data = Data(tmp_path, need_images=False)
    assert data.image("a.jpg").source == ""
    data.image("b.jpg")
    data.check_images()


@pytest.mark.parametrize("name", ["", ".", "..", "a\0b.jpg", "x" * 300 + "/a.jpg", "a.jpg/b.jpg"])
def test_hostile_names_are_missing_or_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.jpg").touch()
    data = Data(tmp_path)
    try:
        assert data.image(name).source == ""
    except DataError:
        return
    assert name in data.missing


def test_also_names_are_tried_and_the_name_stays(tmp_path: Path) -> None:
    (tmp_path / "second.jpg").touch()
    image = Data(tmp_path).image("first.jpg", also=("second.jpg",))
    assert (image.name, image.source) == ("first.jpg", str(tmp_path / "second.jpg"))


def test_a_big_folder_is_listed_once(tmp_path: Path) -> None:
    data = Data(tmp_path)
    data.image("late.jpg")
    (tmp_path / "late2.jpg").touch()
    assert data.image("late2.jpg").source == ""
