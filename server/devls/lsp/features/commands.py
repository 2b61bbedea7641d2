"""Commands that the client may have the server execute."""

from __future__ import annotations

import json
import platform
import sys
from typing import TYPE_CHECKING, Any

from lsprotocol import types

import devls
from devls.lsp.torch import part
from devls.probe.experiment import Verdict

if TYPE_CHECKING:
    from devls.lsp.server import DevlsServer
    from devls.probe.experiment import Said

DEBUG_INFORMATION = "devls.server.debugInformation"
"""Not `devls.debugInformation`: clients register the server's commands as their own, and VS Code's has that one already."""


ASK_TORCH = "devls.server.askTorch"

PATIENCE = 90.0
"""Seconds for an answer that somebody has asked for: a cold disk may take a minute to import torch."""


def register(server: DevlsServer) -> None:
    """Announce the commands."""
    server.command(DEBUG_INFORMATION)(debug_information)
    server.command(ASK_TORCH)(ask_torch)


# pygls evaluates the annotations of a command when arguments come, so that none may be imported for type checkers only.
async def ask_torch(ls: Any, *arguments: Any) -> str | None:
    """Have torch judge a finding (the document's URI, the rule, an offset); show and return what it says.

    Nothing is asked, as in hovers, where the settings say so or the workspace is not trusted.
    """
    try:
        uri, rule, offset = arguments
        document = ls.documents.get(uri)
    except (TypeError, ValueError):
        return None
    if document is None or not ls.settings.asks_torch(document.path):
        return None
    outcome = document.current
    found = [each for each in outcome.analysis.diagnostics if each.question] if outcome else []
    for each in found:
        if each.question is not None and (each.rule, each.range.start) == (rule, offset):
            said = await ls.torch.ask(each.question, PATIENCE)
            return _show(ls, said)
    return None


def _show(ls: DevlsServer, said: Said | None) -> str:
    if said is None or not said.torch:
        text = f"torch: {said.says if said else ls.torch.account}"
        ls.window_show_message(types.ShowMessageParams(types.MessageType.Warning, text))
        return text
    verdict = {Verdict.CONFIRMED: "confirms this", Verdict.REFUTED: "refutes this"}.get(
        said.verdict, "has no answer"
    )
    text = f"torch {said.torch.partition('+')[0]} {verdict}: {said.says}"
    kind = types.MessageType.Warning if said.verdict is Verdict.REFUTED else types.MessageType.Info
    ls.window_show_message(types.ShowMessageParams(kind, text))
    return part(said)


def debug_information(ls: Any, *_arguments: Any) -> str:
    """Describe the server to somebody who is to help: versions, settings, open documents."""
    lines = [
        f"devls {devls.__version__} from {devls.__file__}",
        f"Python {platform.python_version()} at {sys.executable}, {platform.platform()}",
        f"Client: {ls.client_name}",
        f"Position encoding: {getattr(ls.positions.encoding, 'value', ls.positions.encoding)}",
        f"Diagnostics: {'on request' if ls.pull else 'pushed'}",
        f"Workspace folders: {', '.join(ls.settings.roots) or 'none'}",
        f"Settings: {json.dumps(ls.settings.general, sort_keys=True, default=str)}",
        *(
            f"Settings of {root}: {json.dumps(settings, sort_keys=True, default=str)}"
            for root, settings in ls.settings.by_root.items()
        ),
        f"torch: {ls.torch.account}",
        "Open files:",
        *(f"  {each.uri} version {each.snapshot.version}, {each.state}" for each in ls.documents),
    ]
    return "\n".join(lines)
