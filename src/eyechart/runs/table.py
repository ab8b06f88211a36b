"""A scored run as a table: one row per sample and repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eyechart.runs.rescore import Scored


def rows(scored: Scored) -> Iterator[dict[str, Any]]:
    """Rows of id, repeat, group, tags (`tag.<name>`), status, metrics, boxes or value, reply."""
    parts = zip(scored.keys, scored.replies, scored.readings, strict=True)
    for at, ((index, repeat), reply, reading) in enumerate(parts):
        sample = scored.samples[index]
        yield {
            "id": sample.id,
            "repeat": repeat,
            "group": sample.group,
            **{f"tag.{tag}": value for tag, value in sample.tags.items()},
            "status": reading.status,
            "truncated": reading.truncated,
            "reason": reading.reason,
            "value": reading.value,
            "boxes": [list(box) for box in reading.boxes],
            **dict.fromkeys(scored.columns),
            **scored.values_of(at),
            "reply": reply.text if reply is not None else None,
            "latency_s": reply.latency_s if reply is not None else None,
        }


def to_pandas(scored: Scored) -> Any:
    """The rows as a `pandas.DataFrame`.

    Raises:
        UsageError: pandas is not installed.
    """
    try:
        import pandas as pd
    except ImportError:
        raise UsageError("to_pandas needs pandas: pip install 'eyechart[pandas]'.") from None
    return pd.DataFrame(list(rows(scored)))
