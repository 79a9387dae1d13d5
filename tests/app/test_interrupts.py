"""Ctrl-C before a command begins and after it ends."""

import signal
import subprocess
import sys
from types import ModuleType

import pytest

from silvan import __main__


def test_an_interrupt_before_a_command_begins_is_a_sentence(monkeypatch, capsys):
    def interrupted(**options):
        raise KeyboardInterrupt

    commands = ModuleType("silvan.app.commands")
    commands.app = interrupted
    monkeypatch.setitem(sys.modules, "silvan.app.commands", commands)
    handlers = []
    monkeypatch.setattr(signal, "signal", lambda *handler: handlers.append(handler))
    with pytest.raises(SystemExit) as ended:
        __main__.main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "silvan: stopped.\n"
    assert handlers == [(signal.SIGINT, signal.SIG_IGN)]


_INTERRUPTED_IMPORT = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)

class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            try:
                signal.raise_signal(signal.SIGINT)
            except KeyboardInterrupt as interrupt:
                # What compiled modules do while they are initialised.
                raise (ImportError("initialization failed") if {turned} else interrupt)

sys.meta_path.insert(0, Interrupt())
from silvan.__main__ import main
sys.argv = ["silvan", "info", sys.executable]
main()
"""


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("name", ["numpy", "silvan.app.commands"])
def test_an_interrupt_while_modules_are_imported_is_a_sentence(name, turned):
    ended = subprocess.run(
        [sys.executable, "-c", _INTERRUPTED_IMPORT.format(name=name, turned=turned)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.stderr == "silvan: stopped.\n"
    assert ended.returncode == 130
