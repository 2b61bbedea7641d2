"""The start of a session, and the settings: given at the start, asked for, changed."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from devls.lsp import convert
from devls.lsp.convert import Positions
from devls.lsp.features import diagnostics, watched_files

if TYPE_CHECKING:
    from collections.abc import Mapping

    from devls.lsp.server import DevlsServer

_logger = logging.getLogger(__name__)

SECTION = "devls"

PATIENCE = 3.0
"""Seconds to wait for the client's settings before going on without them."""


def register(server: DevlsServer) -> None:
    """Take part in the start, the end and the changes of a session."""
    server.feature(types.INITIALIZE)(initialize)
    server.feature(types.INITIALIZED)(initialized)
    server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)(did_change_configuration)
    server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)(did_change_folders)
    server.feature(types.SHUTDOWN)(shutdown)


def initialize(ls: DevlsServer, params: types.InitializeParams) -> None:
    """Agree on positions and on the way of diagnostics; take the first settings."""
    ls.positions = Positions(ls.workspace.position_encoding or types.PositionEncodingKind.Utf16)
    if params.client_info:
        ls.client_name = f"{params.client_info.name} {params.client_info.version or ''}".strip()
    options = params.initialization_options
    ls.settings = replace(ls.settings, roots=_roots(ls), general=_mapping(_mapping(options).get("settings")))
    ls.has_pages = _mapping(options).get("pages") is True
    diagnostics.choose(ls, params.capabilities)


def initialized(ls: DevlsServer, _params: types.InitializedParams) -> None:
    """Begin to analyse, with the settings the client has."""
    _register_later(ls)
    ls.spawn(_start(ls))


def did_change_configuration(ls: DevlsServer, params: types.DidChangeConfigurationParams) -> None:
    """Analyse everything anew if the settings are others."""
    pushed = _mapping(params.settings)
    if SECTION in pushed:
        ls.settings = replace(ls.settings, general=_mapping(pushed[SECTION]))
    ls.spawn(_take_settings(ls))


def did_change_folders(ls: DevlsServer, _params: types.DidChangeWorkspaceFoldersParams) -> None:
    """Analyse everything anew: imports may lead elsewhere."""
    ls.settings = replace(ls.settings, roots=_roots(ls))
    ls.spawn(_take_settings(ls))


def shutdown(ls: DevlsServer, *_params: Any) -> None:
    """Stop working, so that the exit that follows finds nothing to wait for."""
    ls.said_goodbye = True
    ls.stop_analyzing()


async def _start(ls: DevlsServer) -> None:
    await _take_settings(ls)
    await ls.scheduler.run()


async def _take_settings(ls: DevlsServer) -> None:
    workspace = ls.client_capabilities.workspace
    if workspace and workspace.configuration:
        await _ask_for_settings(ls)
    if ls.settings != ls.applied:
        _set_log_level(ls.settings.general.get("logLevel"))
        ls.restart()


def _register_later(ls: DevlsServer) -> None:
    """Ask the client for what can be asked for only once it runs."""
    registrations = watched_files.registrations(ls)
    workspace = ls.client_capabilities.workspace
    changing = workspace.did_change_configuration if workspace else None
    if changing and changing.dynamic_registration:
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        options = types.DidChangeConfigurationRegistrationOptions(section=SECTION)
        registrations.append(types.Registration("devls-settings", method, options))
    if registrations:
        ls.client_register_capability(types.RegistrationParams(registrations))


def _set_log_level(name: Any) -> None:
    levels = {
        "error": logging.ERROR,
        "warning": logging.WARNING,
        "info": logging.INFO,
        "debug": logging.DEBUG,
    }
    logging.getLogger("devls").setLevel(levels.get(str(name), logging.INFO))


async def _ask_for_settings(ls: DevlsServer) -> None:
    roots = ls.settings.roots
    items = [types.ConfigurationItem(section=SECTION)]
    items += [types.ConfigurationItem(ls.documents.uri_of(root), SECTION) for root in roots]
    try:
        asked = ls.workspace_configuration_async(types.ConfigurationParams(items))
        general, *by_root = await asyncio.wait_for(asked, PATIENCE)
    except Exception as error:  # noqa: BLE001  whatever the client does, we have something to go on with
        _logger.warning("the client did not say its settings: %r", error)
        return
    ls.settings = replace(
        ls.settings,
        general=general if isinstance(general, dict) else ls.settings.general,
        by_root={
            root: found for root, each in zip(roots, by_root, strict=False) if (found := _mapping(each))
        },
    )


def _roots(ls: DevlsServer) -> tuple[str, ...]:
    uris = list(ls.workspace.folders) or ([ls.workspace.root_uri] if ls.workspace.root_uri else [])
    return tuple(path for uri in uris if (path := convert.path_of(uri)) != uri)


def _mapping(value: Any) -> Mapping[str, Any]:
    """The decoded JSON, if it is an object."""
    return value if isinstance(value, dict) else {}
