"""The program `silvan`, also as ``python -m silvan``."""

from __future__ import annotations

import signal
import sys
from importlib.util import find_spec

from silvan.app.errors import exit_code_of_stop
from silvan.app.streams import open_closed_streams

_NEEDED = ("typer", "rich", "pyarrow", "PIL", "jinja2")


def main() -> None:
    """Run the command line, or say what is missing for it."""
    open_closed_streams()
    try:
        missing = [name for name in _NEEDED if find_spec(name) is None]
        if missing:
            sys.exit(
                f"The command line of silvan needs {', '.join(missing)}, which this Python does "
                "not have. Install what belongs to it with\n\n"
                '    python -m pip install "silvan[cli]"\n\n'
                'or, in a checkout of silvan, with ".[cli]" in its place.'
            )
        from silvan.app.commands import app

        app(prog_name="silvan")
    except (Exception, KeyboardInterrupt) as error:  # a command reports interrupts itself
        code = exit_code_of_stop(error)
        if code is None:
            raise
        print("silvan: stopped.", file=sys.stderr)
        sys.exit(code)
    finally:
        # All is done: what ends the process has nothing to clean up, and would show a traceback.
        signal.signal(signal.SIGINT, signal.SIG_IGN)


if __name__ == "__main__":
    main()
