"""Entry points of a file, isolation of runs, incremental reuse, and cost.

In the language server an open file is one `LiveSource` (`syntax/live.py`) whose text changes. Statements around an edit are parsed
again; all other nodes stay the same objects, and of an edited function only the body is exchanged.

`incremental.py` keeps the outcome of each run: findings, steps, and the definitions it has looked at. `FunctionValue.node` and
`ClassValue.node` record who asks for code (`nodes.LOOKED_AT`); `definition` asks for an identity only. After an edit in a body, the runs
that looked at it are repeated; findings of the others move with the text. If more than bodies changed, the program runs
anew, and its results are compared name by name with the earlier ones (`fingerprint.py`). Remembered facts about nodes
(`nodes.of_tree`) are forgotten with each edit.

If all that takes much longer than parsing, an early answer repeats only the edited functions (`KeptRuns.soon`,
`Analysis.partial`); nothing of it is kept.

`budget.py` in the core bounds the cost: bodies of called functions have steps in proportion to the file's lines. `inlining.py` says
which calls are worth following; `call_costs.py` which only report something, and which are given things from different devices
and run beyond the budget.
"""
