"""The program `silvan`, also as ``python -m silvan``."""

from __future__ import annotations

import sys
from importlib.util import find_spec

_NEEDED = ("typer", "rich", "pyarrow", "PIL", "jinja2")


def main() -> None:
    """Run the command line, or say what is missing for it."""
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        sys.exit(
            f"The command line of silvan needs {', '.join(missing)}, which this Python does not "
            'have. Install what belongs to it with\n\n    python -m pip install "silvan[cli]"\n\n'
            'or, in a checkout of silvan, with ".[cli]" in its place.'
        )
    from silvan.app.commands import app

    app(prog_name="silvan")


if __name__ == "__main__":
    main()
