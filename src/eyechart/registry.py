"""Names to things: `module:attribute` strings that are imported when they are asked for."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import TYPE_CHECKING, Any

from eyechart.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


def load(target: str) -> Any:
    """The object that `package.module:attribute` names."""
    module, _, attribute = target.partition(":")
    return getattr(importlib.import_module(module), attribute)


def load_file(path: Path) -> Any:
    """The module in the user's own Python file.

    Raises:
        UsageError: no such file, or the file itself fails to import (its error is quoted).
    """
    if not path.is_file():
        raise UsageError(f"{path}: no such Python file.")
    # a dot would make it a part of a package that is nowhere: what it defines could not be pickled
    name = f"eyechart_user_{path.stem.replace('.', '_')}"
    spec = importlib.util.spec_from_file_location(name, path) if path.suffix == ".py" else None
    if spec is None or spec.loader is None:
        raise UsageError(f"{path}: not a Python file (its name must end in .py).")
    module = importlib.util.module_from_spec(spec)
    # dataclasses and msgspec look their module up by name while it is still loading
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except SystemExit as error:
        del sys.modules[name]
        raise UsageError(
            f"{path}: it ends the program while it is loaded (SystemExit: {error}). Put what only "
            "a script does under `if __name__ == '__main__':`."
        ) from error
    except Exception as error:
        del sys.modules[name]
        raise UsageError(f"{path}: it failed to load: {type(error).__name__}: {error}") from error
    return module
