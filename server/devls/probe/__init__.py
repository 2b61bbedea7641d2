"""Optional facts from a real torch, always in another process.

An experiment (`experiment.py`) is the smallest program that shows what a rule claims, with the expected outcome and a control: the
same program done right. The answer confirms the claim, refutes it, or says nothing (another exception, a timeout). Programs are
made of numbers, names that the catalog knows, and checked variable names: never of the user's code.

`interpreters.py` chooses a Python: the one that was named; else that of devls if it has a torch, that of the active environment, the
first on PATH. A Python inside what is checked is not started, by whatever link or variable it was found. `worker.py` runs there:
it imports torch once and forks for each question; questions about `cuda` fork from a child that has entered the stand-in.
`guard.py` holds a program that runs wild: limits on time and memory, no writing, no network, no other programs. `client.py` survives
the worker's death, restarts it after a growing pause, and remembers answers by torch's version. The two sides share
`protocol.py` and nothing else.

`standin/` makes two accelerators out of a torch that has none: which combinations raise, and with which text, is torch's own doing;
where the values lie is pretended. torch before 2.9 cannot take a device from Python, and answers what needs no accelerator.
"""
