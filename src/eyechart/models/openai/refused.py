"""Why an endpoint cannot be asked at all, in one line with what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eyechart.errors import meant
from eyechart.models.openai.meaning import model_names

if TYPE_CHECKING:
    from eyechart.models.openai import Endpoint
    from eyechart.models.openai.transport import Transport, Trouble

_MOST_NAMES = 8
_V1 = " Perhaps /v1 is missing: try --base-url {base}/v1."


async def refused(endpoint: Endpoint, transport: Transport, trouble: Trouble) -> str:
    """The message: what the server said, and the remedy."""
    where = endpoint.address.shown
    said = trouble.message.rstrip(".")
    if trouble.unreachable:
        hint = _V1.format(base=endpoint.address.base) if endpoint.address.lacks_version else ""
        return (
            f"No model answers at {where} ({said}). Is the server running, "
            f"and is the address (--base-url) right?{hint}"
        )
    if trouble.status in (401, 403):
        what = "refuses the API key" if endpoint.has_key else "wants an API key, and none was given"
        return f"{where} {what} ({said}). Set OPENAI_API_KEY."
    if trouble.location:
        return f"{where} has moved ({said}): give {trouble.location} as --base-url."
    remedy = await _remedy(endpoint, transport, trouble)
    return f"{where} does not take requests for {endpoint.name!r} ({said}).{remedy}"


async def _remedy(endpoint: Endpoint, transport: Transport, trouble: Trouble) -> str:
    listed = await transport.get(endpoint.address.url("/models"))
    names = model_names(listed[1]) if listed and listed[0] == 200 else []
    names = [endpoint.secrets.in_message(name) for name in names]
    if names and endpoint.name not in names:
        shown = ", ".join(names[:_MOST_NAMES]) + (" ..." if len(names) > _MOST_NAMES else "")
        return f" It offers: {shown}.{meant(endpoint.name, names)}"
    if trouble.status in (404, 405) and not names:
        if endpoint.address.lacks_version:
            return _V1.format(base=endpoint.address.base)
        return " Is the address (--base-url) right?"
    return ""
