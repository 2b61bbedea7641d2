"""Every bound of the interpreter, with its reason. Past a bound values become unknown."""

from __future__ import annotations

from typing import Final

from devls.values.weights import KEY_WEIGHT, LARGEST_SIZE, RANK, SEVERAL, TUPLE_DEPTH, TUPLE_WEIGHT

LOOP_PASSES: Final = 2
"""The second iteration sees what the first left behind; nothing we report needs a third."""

UNROLLED_ITEMS: Final = 6
"""Literal sequences up to this length are iterated item by item (phases, layer names)."""

UNROLLED_PARTS: Final = 192
"""Parameters or layers of a module that a loop with a short body goes through one by one: a ResNet-50 has 161 of one, and
freezing some of them, or clearing their gradients, has to be seen."""

SHORT_BODY: Final = 40
"""Nodes of such a body; it may cost that times the parts."""

LOOP_NESTING: Final = 3
"""Loops nested deeper than this run once: the cost doubles with each level."""

DECORATED: Final = 6
"""Functions of one scope that a decorator is run on which returns what it is given. A program has a few of a kind; libraries
register hundreds, and a registry keeps no more apart than `ENTRIES` anyway."""

STEPS_OF_DECORATORS: Final = 500
"""Steps that decorators of functions and classes in one scope may take; behind them, each is run once, and then no more. Libraries
wrap hundreds of functions, and write their docstrings on the way."""

CLASSES_OF_ONE: Final = 64
"""Classes that one class is, itself and all that it derives from on any path; deep hierarchies have twenty. Whoever asks for an
attribute may ask each. One with more derives from something unknown."""

TESTS_OF_ONE: Final = 100
"""Values of one `and` or `or`, or of a chain of conditional expressions; behind more, of which one is not decided, the result is
unknown: each such test runs in another."""

CALL_DEPTH: Final = 14
"""Calls into calls. Real training code stays below ten; recursion ends here."""

SAME_FUNCTION_DEPTH: Final = 3
"""A function met a fourth time on the stack is recursion; its result is unknown. Batches are nested so deep: a dict of lists
of tensors, which a helper moves by calling itself."""

STEPS_PER_FILE: Final = 60_000
"""Statements and calls for one file, all of its runs together."""

SECONDS_PER_FILE: Final = 6.0
"""Processor seconds after which a file is not gone through any further, imported modules apart. It is the last resort for
programs that are slow in a way that no step and no work has counted.
"""

STEPS_UNLOOKED: Final = 7
"""Steps between looks at the clock, and at whether somebody has cancelled: one less than a power of two."""

STEPS_PER_RUN: Final = 12_000
"""The same for one function run by itself, so that one cannot starve the others."""

STEPS_OF_WRITER: Final = 400
"""The same for a method that is run beforehand, for what it leaves in attributes that the constructor has left empty."""

WRITERS: Final = 6
"""Methods of one class that are run beforehand: `reset`, `build`, `append`; who has more keeps many things at once."""

STEPS_PER_MODULE: Final = 6_000
"""The same for the body of one module that is imported; most define things and need a tenth of it."""

CALLS_OF_MODULE: Final = 4_000
"""Steps of these for the bodies of functions that a module calls while it is imported. Behind them only short ones are run, as in
a file. A module that looks for sixty optional packages takes 2,600.
"""

CALLS_OF_SMALL_MODULE: Final = 150
"""Steps of these that any module has: a hundred short ones that import and call one another double with each."""

CALLS_OF_MODULE_PER_LINE: Final = 3
"""Steps of these that each line adds."""

STEPS_IN_LIBRARY: Final = 1_500
"""One call into an installed package may take this much of the program's own; then its result is unknown."""

CALLS_OF_PROGRAM: Final = 500
"""Steps for calls (see allowance.py) that any program has, however short: a script of fifty lines may use a large model."""

CALLS_OF_PROGRAM_PER_LINE: Final = 2
"""Steps for calls that each line adds to those of the program."""

STEPS_OF_SMALL_STATEMENT: Final = 32
"""A statement of the main program that takes no more is not paid for out of the steps for calls: one that comes or goes while
somebody types leaves to the others what they had.
"""

STEPS_OF_RUNS: Final = 200
"""Steps after which functions that run by themselves run no bodies of others any more, in any file."""

STEPS_OF_RUNS_PER_LINE: Final = 2
"""Steps that each line adds to those: with them a file costs some ten times its parsing."""

MEETINGS: Final = 2
"""Calls beyond those steps that a function may make which are given things that lie in different places: there devices meet."""

STEPS_OF_MEETING: Final = 150
"""Steps for calls that each of these has: a helper that checks what it is given, and one that computes."""

LINES_OF_SHORT_BODY: Final = 8
"""Bodies up to this length, docstrings apart, run although the steps for calls are used up: helpers that reshape or normalize what
they are given, methods that only read."""

ITEMS_OF_CHECKPOINTS: Final = 1_000_000
"""Items in the notes of checks that are kept for the statements of an open file: about 60 MB. With more, edits run all of it."""

STEPS_PER_LINE: Final = 1
"""Cost of running one line once, more or less; there are blank ones and comments, and lines with several calls."""

LINES_PARSED_IN_A_STEP: Final = 6
"""A step takes longer than parsing so many lines: what is to be said soon after an edit may take one step for each."""

CALL_SHARE: Final = 4
"""A call leaves one part in so many of what its caller may spend to what follows."""

ARGUMENTS: Final = 1_000
"""Arguments of one call: `f(*a, *a)` in functions that call one another doubles them each time."""

CONTAINER_ITEMS: Final = 24
"""Items that a list or dict keeps apart; a larger one keeps one joined element."""

REMEMBERED_ITEMS: Final = 4
"""Objects of which it is remembered that they were put into a list: one module that is not registered is enough to say so."""

MODELS_WATCHED: Final = 12
"""Models that are called in loops and of which it is remembered how they were trained; a step looks at each."""

CALLS_TOLD_APART: Final = 16
"""Calls of a function, and rounds of the loops in it, whose values a hover tells apart; nobody would read more."""

ENTRIES: Final = 64
"""Entries of a dict that are put in one by one and kept apart: each writes all anew, and a registry has thousands."""

GRAPH_WALK: Final = 4_000
"""Nodes that one backward walks; what lies beyond is treated as open."""

FREE_WORK: Final = 10_000
"""Free work of one run beside its steps, before it pays for that in steps: keys copied at joins and forks, nodes of
graphs, parts of modules and items of containers that are visited. Few functions of real projects need more, and the
largest, which take 25,000, have steps to spare.
"""

WORK_PER_STEP: Final = 50
"""So much of it, beyond that, costs one step: it takes about as long."""

WORK_OF_STARRED: Final = 10
"""A name that comes by a star. A file with thousands of them has them of a hundred modules, each of which has them of
the others.
"""

WORK_OF_NODE: Final = 4
"""A node of a graph that is walked, or a parameter that an optimizer looks at."""

WORK_OF_OPERATION: Final = 40
"""An operation on tensors, of which a single call of a model may run hundreds."""

WORK_OF_EVENT: Final = 1_500
"""An event: rules word findings and look for fixes. The first sixty of a run are free."""

WORK_OF_COPY: Final = 15
"""Something that `copy.deepcopy` copies: a module, a parameter, a container."""

COPIED: Final = 4_000
"""Things that one `copy.deepcopy` copies; a ResNet-152 has 1,500, and a list of copies of itself doubles with each. What is
beyond is unknown.
"""

CHARACTERS_OF_WORK: Final = 12
"""Characters of a line that are read in the time that work takes: a sum of a thousand terms has a text for each of its sums."""

STEPS_OF_EVENT: Final = 50
"""Steps that an event of a function by itself takes from the other functions of its file: about as long. A file of a
thousand mistakes is not gone through to its end.
"""

TREE_CASES: Final = 32
"""Cases of what is known of one tensor that stands for any of several: devices, whether it requires grad. Each is looked at
whenever somebody asks."""

VALUE_CASES: Final = 6
"""Alternatives of one value; a call on a value with more is a call of something unknown."""

NAMES_TRIED: Final = 500
"""Names of one scope among which a fix looks for one that has a device; each finding does."""

INTEGER_BITS: Final = 1_024
"""Bits of a whole number that is computed. Hashes and seeds have 64, keys of ciphers a thousand; `a = a * a` doubles them each
time, and nothing but the end of one such product gives other threads a turn."""

TEXT_LENGTH: Final = 10_000
"""Characters of a text that is computed, or read for what it says: names, paths and settings are shorter."""

EXPONENT: Final = 64
"""Powers are computed below it: those of two that stand for sizes."""

BASE: Final = 1e6
"""Numbers are raised to powers below it."""

RECURSION: Final = 2_000
"""Calls of Python in one another while a file is analyzed, twice what Python grants: a hundred blocks in one another, as many as
its parser allows, take six each. More would not fit on the stacks of all systems."""

DEPTH_COMPARED: Final = 64
"""Objects in one another up to which what a program leaves is compared after an edit: a list whose nodes are linked is deeper,
and counts as changed."""

VALUES_READ: Final = 64
"""Assigned values that are read to find out how a loader was made: more are taken for a loader that somebody wraps."""

__all__ = ["KEY_WEIGHT", "LARGEST_SIZE", "RANK", "SEVERAL", "TUPLE_DEPTH", "TUPLE_WEIGHT"]
"""Those of single values, which are kept where values are made (values/weights.py)."""

OPERANDS_TOLD: Final = 8
"""Operands of one operation that are compared with the one they should be beside, once another one is not: who reads on has seen enough."""
