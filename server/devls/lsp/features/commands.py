"""Commands that the client may have the server execute."""

from __future__ import annotations

import json
import platform
import sys
from typing import TYPE_CHECKING

import devls

if TYPE_CHECKING:
    from devls.lsp.server import DevlsServer

DEBUG_INFORMATION = "devls.server.debugInformation"
"""Not `devls.debugInformation`: clients register the server's commands as their own, and VS Code's has that one already."""


def register(server: DevlsServer) -> None:
    """Announce the commands."""
    server.command(DEBUG_INFORMATION)(debug_information)


def debug_information(ls: DevlsServer, *_arguments: object) -> str:
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
        "Open files:",
        *(f"  {each.uri} version {each.snapshot.version}, {each.state}" for each in ls.documents),
    ]
    return "\n".join(lines)
