"""The process that runs a library in an environment of its own.

Commands come in and replies go out as lines of JSON. `benchmarks.runners` starts it as
``python -m benchmarks.worker``.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from benchmarks.jobs import Jobs


def main() -> None:
    """Answer commands until standard input ends."""
    # Libraries that print from native code (rerf does) must not write into the replies: file
    # descriptor 1 is given to standard error, and the replies keep a copy of the old one.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    jobs = Jobs()
    for line in sys.stdin:
        replies.write(json.dumps(answer(jobs, json.loads(line))) + "\n")
        replies.flush()


def answer(jobs: Jobs, command: dict[str, Any]) -> dict[str, Any]:
    """Carry out one command; an exception becomes a reply, as the run goes on without it."""
    try:
        reply: dict[str, Any] = getattr(jobs, command.pop("do"))(**command)
    except Exception as error:
        return {"failed": f"{type(error).__name__}: {error}".splitlines()[0]}
    return reply


if __name__ == "__main__":
    main()
