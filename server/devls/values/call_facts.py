"""Observations of calls, and presumptions until calls show otherwise.

Facts are collected while code runs, in `Machine.call_facts`; presumptions come with the findings that rest on them, and are
settled when all has run (`evidence/deferred.py`). Parameters are meant by their keys (`evidence/argument_facts.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast
    from collections.abc import Hashable

    from devls.syntax.source import Source


class _Statement:
    """Something that is said about one or two things; two of one kind about the same are equal."""

    __slots__ = ("_hash", "about")

    def __init__(self, *about: Hashable) -> None:
        self.about = about
        self._hash = hash((type(self), about))

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.about == self.about

    def __hash__(self) -> int:
        return self._hash


class Premise(_Statement):
    """Premises of a finding, beside observations."""

    __slots__ = ()


class CallFact(Premise):
    """Observation of a call. A finding may rest on that no call shows it."""

    __slots__ = ()


# Facts


class CalledWithoutGrad(CallFact):
    """A function was called while gradients were switched off, or perhaps so."""

    __slots__ = ("function",)

    def __init__(self, function: ast.AST) -> None:
        super().__init__(function)
        self.function = function


class GivenOnHost(CallFact):
    """A parameter was given what is on the CPU."""

    __slots__ = ()

    def __init__(self, parameter: Hashable) -> None:
        super().__init__(parameter)


class GivenElsewhere(CallFact):
    """A parameter was given what may be anywhere."""

    __slots__ = ()

    def __init__(self, parameter: Hashable) -> None:
        super().__init__(parameter)


class GivenMoved(CallFact):
    """A parameter was given a tensor on a device that somebody has chosen, or where a model is."""

    __slots__ = ()

    def __init__(self, parameter: Hashable) -> None:
        super().__init__(parameter)


class NotGiven(CallFact):
    """A parameter was given nothing, or None."""

    __slots__ = ()

    def __init__(self, parameter: Hashable) -> None:
        super().__init__(parameter)


class HandedOn(CallFact):
    """A parameter was given what another parameter, the source, was given."""

    __slots__ = ()

    def __init__(self, parameter: Hashable, source: Hashable) -> None:
        super().__init__(parameter, source)

    @property
    def parameter(self) -> Hashable:
        """The parameter that is given something."""
        return self.about[0]

    @property
    def source(self) -> Hashable:
        """The parameter that it comes from."""
        return self.about[1]


class ResultMoved(CallFact):
    """The result of a factory was moved by its caller."""

    __slots__ = ()

    def __init__(self, factory: ast.AST) -> None:
        super().__init__(factory)


class OutputMoved(CallFact):
    """The result of an operation on operands in different places was moved, and not to an argument's device."""

    __slots__ = ()

    def __init__(self, operation: ast.AST) -> None:
        super().__init__(operation)


class ReadsByNumpy(CallFact):
    """A function surely hands its own argument to numpy: it works on the host."""

    __slots__ = ()

    def __init__(self, function: ast.AST) -> None:
        super().__init__(function)


class GivenToProcesses(CallFact):
    """A value that a call has moved to CUDA was handed to other processes."""

    __slots__ = ()

    def __init__(self, call: ast.AST) -> None:
        super().__init__(call)


# Presumptions that are no facts themselves


class OnAccelerator(Premise):
    """A parameter is on an accelerator."""

    __slots__ = ()

    def __init__(self, parameter: Hashable) -> None:
        super().__init__(parameter)

    @property
    def parameter(self) -> Hashable:
        """The key of the parameter."""
        return self.about[0]


class RunsAfterMove(Premise):
    """A function runs when its module, or its argument, was moved, and not only while modules are built."""

    __slots__ = ("function", "source")

    def __init__(self, source: Source, function: ast.AST) -> None:
        super().__init__(source, function)
        self.source = source
        self.function = function


class MadeByDefaultOnHost(Premise):
    """A function runs where no program has set another default device, so that factories without a device make tensors on the CPU."""

    __slots__ = ()


class Together(Premise):
    """Several presumptions: one that is not so is enough to refute all."""

    __slots__ = ("parts",)

    def __init__(self, *parts: Premise) -> None:
        super().__init__(*parts)
        self.parts = parts


class Weak(Premise):
    """A presumption of what is not certain anyway: not worth reading other files."""

    __slots__ = ("presumption",)

    def __init__(self, presumption: Premise) -> None:
        super().__init__(presumption)
        self.presumption = presumption


class Confirmed(Premise):
    """A presumption of parameters, and that some call is seen to bear it out where all calls are in sight."""

    __slots__ = ("presumption",)

    def __init__(self, presumption: Premise) -> None:
        super().__init__(presumption)
        self.presumption = presumption


class Unconfirmed(Premise):
    """A presumption of parameters, and that no call is seen to bear it out though all calls are in sight."""

    __slots__ = ("presumption",)

    def __init__(self, presumption: Premise) -> None:
        super().__init__(presumption)
        self.presumption = presumption
