"""Tracebacks as Python, IPython, pytest and torchrun print them."""

from __future__ import annotations

import pytest

from devls.tracebacks.parsing import Frame, Raised, parse

PYTHON = """\
epoch 1
Traceback (most recent call last):
  File "/home/you/train.py", line 15, in <module>
    step(x)
  File "/home/you/train.py", line 10, in step
    out = net(x)
          ^^^^^^
RuntimeError: Expected all tensors to be on the same device
and a second line
"""
FRAMES = (
    Frame("/home/you/train.py", 15, "<module>", "step(x)"),
    Frame("/home/you/train.py", 10, "step", "out = net(x)"),
)
MESSAGE = "Expected all tensors to be on the same device"

FORMS = {
    "python": PYTHON,
    "torchrun": "".join(f"[rank0]: {line}\n" for line in PYTHON.splitlines()),
    "colours": PYTHON.replace("RuntimeError", "\x1b[1;35mRuntimeError\x1b[0m"),
    "windows lines": PYTHON.replace("\n", "\r\n"),
    "after another": f"Traceback (most recent call last):\n{PYTHON}",
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_python(form: str) -> None:
    assert parse(FORMS[form]) == (Raised("RuntimeError", f"{MESSAGE}\nand a second line", FRAMES),)


def test_ipython() -> None:
    text = """\
---------------------------------------------------------------------------
RuntimeError                              Traceback (most recent call last)
Cell In[3], line 2
      1 for x, y in loader:
----> 2     out = net(x)

File ~/lib/module.py:7, in Net.forward(self, x)
      6 def forward(self, x):
----> 7     return x + self.table

RuntimeError: found at least two devices, cuda:0 and cpu!
"""
    (found,) = parse(text)
    assert found.frames == (
        Frame("", 2, "", "out = net(x)"),
        Frame("~/lib/module.py", 7, "Net.forward", "return x + self.table"),
    )
    assert (found.error, found.message) == ("RuntimeError", "found at least two devices, cuda:0 and cpu!")


def test_ipython_of_some_years_ago() -> None:
    text = """\
RuntimeError                              Traceback (most recent call last)
<ipython-input-7-d22ebd94e5d4> in <module>()
      1 x = torch.ones(3)
----> 2 net(x)

/content/net.py in forward(self, x)
     10     def forward(self, x):
---> 11         return self.fc(x)

RuntimeError: Expected object of backend CPU but got backend CUDA
"""
    (found,) = parse(text)
    assert found.frames == (
        Frame("", 2, "<module>", "net(x)"),
        Frame("/content/net.py", 11, "forward", "return self.fc(x)"),
    )


def test_pytest() -> None:
    text = """\
    def test_step():
>       step(torch.ones(3))

tests/test_train.py:12:
_ _ _ _ _ _ _ _

    def step(x):
>       return net(x)
E       RuntimeError: Expected all tensors to be on the same device

train.py:4: RuntimeError
"""
    (found,) = parse(text)
    assert found == Raised(
        "RuntimeError",
        MESSAGE,
        (
            Frame("tests/test_train.py", 12, "", "step(torch.ones(3))"),
            Frame("train.py", 4, "", "return net(x)"),
        ),
    )


def test_chained_errors_come_one_by_one() -> None:
    text = f"{PYTHON}\nThe above exception was the direct cause of the following exception:\n\n{PYTHON.replace('RuntimeError', 'ValueError')}"
    assert [each.error for each in parse(text)] == ["RuntimeError", "ValueError"]


def test_an_error_of_a_replica_is_read() -> None:
    text = """\
Traceback (most recent call last):
  File "a.py", line 3, in <module>
    net(x)
RuntimeError: Caught RuntimeError in replica 0 on device 0.
Original Traceback (most recent call last):
  File "a.py", line 9, in forward
    return x + w
RuntimeError: found at least two devices
"""
    waiting = Frame("a.py", 3, "<module>", "net(x)")
    assert parse(text)[-1].frames == (waiting, Frame("a.py", 9, "forward", "return x + w"))


@pytest.mark.parametrize(
    "text", ["", "\0" * 100, "RuntimeError: no traceback", "Traceback (most recent call last):\n"]
)
def test_what_is_no_traceback(text: str) -> None:
    assert parse(text) == ()


def test_a_worker_goes_on_where_its_program_waits() -> None:
    text = """\
Traceback (most recent call last):
  File "train.py", line 16, in main
    for x in loader:
  File "/lib/torch/_utils.py", line 794, in reraise
    raise exception
RuntimeError: Caught RuntimeError in DataLoader worker process 0.
Original Traceback (most recent call last):
  File "data.py", line 15, in __getitem__
    return make(i)
RuntimeError: Cannot re-initialize CUDA in forked subprocess.
"""
    found = parse(text)[-1]
    assert [each.path for each in found.frames] == ["train.py", "/lib/torch/_utils.py", "data.py"]
    assert found.message.startswith("Cannot re-initialize")
