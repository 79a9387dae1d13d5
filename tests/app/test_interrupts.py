"""Ctrl-C before a command begins and after it ends."""

import signal
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
