"""Entry points of a file, isolation of runs, incremental reuse, and cost.

In the language server an open file is one `LiveSource` (`syntax/live.py`) whose text changes. Statements around an edit are parsed
again; all other nodes stay the same objects, and of an edited function only the body is exchanged.

`incremental.py` keeps the outcome of each run: findings, steps, and the definitions it has looked at. `FunctionValue.node` and
`ClassValue.node` record who asks for code (`nodes.LOOKED_AT`); `definition` asks for an identity only. After an edit in a body, the runs
that looked at it are repeated; findings of the others move with the text. Who asks something about a whole file has looked at all of
it, unless the question stands in `LOOKED_AT` with its answer (`nodes.asked`): it is asked again after each edit.

If more than bodies changed, or the program has looked at one that did, it runs on from the statement in front of that
(`resumption.py`). Where those behind cannot see what is different now, they are not run either; otherwise what the program has left
is compared name by name with what it left before (`fingerprint.py`). Remembered facts about nodes (`nodes.of_tree`) are forgotten with
each edit.

Measured, for an edit at the top of a program of 1,045 lines that calls all of its functions, as multiples of `ast.parse` of the
text: 23 with the whole program run again, 1.3 with the rest of it known, of which half is asking questions again. For torchvision's
`swin_transformer.py`, where the edit is the first to speak of a device: 9, and 0.7 for the answer that comes first.

If all that takes much longer than parsing, an early answer repeats only the edited functions (`KeptRuns.soon`,
`Analysis.partial`); nothing of it is kept.

`budget.py` in the core bounds the cost: bodies of called functions have steps in proportion to the file's lines. `inlining.py` says
which calls are worth following; `call_costs.py` which only report something, and which are given things from different devices
and run beyond the budget.
"""
