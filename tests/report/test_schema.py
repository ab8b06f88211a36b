"""`report.json` follows the published schema and comes back as it went."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec
import pytest

from eyechart.report.schema import Report, json_schema


def _written(report: Report) -> Any:
    """As JSON; lone surrogates, which UTF-8 cannot hold, are taken out."""
    text = json.dumps(msgspec.to_builtins(report)).replace("\\ud800", "")
    return json.loads(text)


def test_round_trip(report: Report) -> None:
    kept = msgspec.convert(_written(report), Report)
    data = msgspec.json.encode(kept)
    assert msgspec.json.decode(data, type=Report) == kept
    assert msgspec.json.encode(msgspec.json.decode(data, type=Report)) == data


def test_a_report_is_valid_under_its_schema(report: Report) -> None:
    schema = json_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.validate(_written(report), schema, jsonschema.Draft202012Validator)


@pytest.mark.parametrize("field", ["metrics", "protocol", "coverage", "warnings"])
def test_a_report_without_a_field_is_not(report: Report, field: str) -> None:
    written = _written(report)
    del written[field]
    with pytest.raises(jsonschema.ValidationError, match=field):
        jsonschema.validate(written, json_schema(), jsonschema.Draft202012Validator)
