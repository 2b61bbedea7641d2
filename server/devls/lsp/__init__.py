"""The language server. The only package that imports pygls and lsprotocol.

Two threads: the event loop owns the documents and talks to the client; the worker (`worker.py`) owns the engine, which nothing else
touches. Nothing is locked: a change of a buffer reaches the worker as a call in the same queue as the analyses, so that an
analysis sees exactly the changes that came before it.

The scheduler (`scheduler.py`) decides the order. A change counts up the document's `generation`, plans an analysis a moment after
the last keystroke, and cancels the one under way; the machine looks at the flag every eight steps. Documents that nobody types in
follow later. An analysis after a change may come in two parts: the edited functions soon, the whole after a longer pause. An
outcome counts only if the generation is still the same, and what is published says its version.

A notebook is one document whose text is the program of its code cells (`syntax/notebook.py`). Positions are converted at the edge,
by the document's `Snapshot`; a fix is offered where each of its edits lies within one cell. Findings in cells are pushed to all
clients, since a change of one cell changes the findings of others. All cells are synchronized, so that they can be counted.

Clients that ask for diagnostics (pull) get an answer for the newest text; to all others they are pushed; never both. `torch.py` has
a thread that owns the probe: a hover goes on without torch's answer where that takes longer than a third of a second, and the
worker process ends when nobody has asked for five minutes. `signatures.py` has jedi in a process of its own, asked where the engine has
nothing to say and the client wants it. A diagnostic carries its fixes and the text's version as data, so that
code actions need no analysis; for another version none are offered. An analysis that fails is logged, and the analyzer is made
anew. Standard output belongs to the protocol: whatever prints goes to standard error.
"""
