"""Which analyses are to be soon, and which are whole."""

from __future__ import annotations

import asyncio

from devls.analysis import Analysis
from devls.lsp import scheduler
from devls.lsp.state import Documents, Snapshot
from devls.lsp.worker import Outcome


class Engine:
    """Leaves something for later whenever it may."""

    def __init__(self):
        self.asked = []

    def analyze(self, path, cancelled, *, soon):
        assert not cancelled()
        self.asked.append(soon)
        return Outcome(Analysis(path, Snapshot(path, 1, "").source, partial=soon), {})


class Worker:
    def submit(self, call):
        done = asyncio.get_running_loop().create_future()
        done.set_result(call())
        return done


def asked(changes, *, in_parts=True):
    """Whether each analysis of a document that is changed so often, without a pause, was to be soon."""

    async def scenario():
        documents, engine = Documents(), Engine()
        document = documents.open("file:///x.py", 1, "")
        made = scheduler.Scheduler(documents, Worker(), engine, lambda *_: None)
        made.in_parts = in_parts
        running = asyncio.ensure_future(made.run())
        for _ in range(changes):
            made.invalidate(document, 0)
            await made.settle(document)
        running.cancel()
        return engine.asked, document.due is not None

    return asyncio.run(scenario())


def test_each_change_is_answered_soon_and_the_rest_is_planned():
    assert asked(3) == ([True, True, True], True)


def test_who_cannot_be_told_of_the_rest_gets_whole_answers():
    assert asked(2, in_parts=False) == ([False, False], False)


def test_the_rest_does_not_wait_for_ever(monkeypatch):
    monkeypatch.setattr(scheduler, "REST_PATIENCE", -1.0)
    assert asked(4) == ([True, False, True, False], False)


def test_the_rest_is_whole(monkeypatch):
    monkeypatch.setattr(scheduler, "REST_DELAY", 0.0)

    async def scenario():
        documents, engine, ended = Documents(), Engine(), asyncio.Event()
        document = documents.open("file:///x.py", 1, "")
        again = []

        def finished(_document, _before, follows):
            again.append(follows)
            if follows:
                ended.set()

        made = scheduler.Scheduler(documents, Worker(), engine, finished)
        running = asyncio.ensure_future(made.run())
        made.invalidate(document, 0)
        await asyncio.wait_for(ended.wait(), 60)
        running.cancel()
        return engine.asked, again

    assert asyncio.run(scenario()) == ([True, False], [False, True])
