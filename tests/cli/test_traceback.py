"""Questions about one file: what caused an error, what was considered on a line, and what gets gradients."""

from __future__ import annotations

import functools
import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from devls.analysis import Analyzer

if TYPE_CHECKING:
    from collections.abc import Callable

    from conftest import Ran

PROGRAM = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 2).to(device)


def step(x, y):
    x.to(device)
    out = net(x)
    return nn.functional.mse_loss(out, y)


step(torch.ones(3, 4), torch.ones(3, 2)).backward()
"""
LIBRARY = '  File "/opt/lib/python3.11/site-packages/torch/nn/modules/linear.py", line 125, in forward\n    return 1\n'
DEVICES = "RuntimeError: Expected all tensors to be on the same device, but got mat1 is on cpu\n"
ANALYZER = functools.partial(Analyzer, hovers=False)


def printed(path: str, error: str = DEVICES, shift: int = 0) -> str:
    return (
        "Traceback (most recent call last):\n"
        f'  File "{path}", line {14 + shift}, in <module>\n'
        "    step(torch.ones(3, 4), torch.ones(3, 2)).backward()\n"
        f'  File "{path}", line {10 + shift}, in step\n'
        f"    out = net(x)\n{LIBRARY}{error}"
    )


@pytest.fixture
def traceback(devls: Callable[..., Ran]) -> Callable[..., Ran]:
    Path("train.py").write_text(PROGRAM, encoding="utf-8")
    return lambda text, *options: devls("traceback", *options, stdin=text.encode(), analyzer=ANALYZER)


def test_the_cause_comes_first(traceback: Callable[..., Ran]) -> None:
    ran = traceback(printed("train.py"))
    assert ran.status == 0
    assert "raised from train.py:10: out = net(x)" in ran.out
    assert "on different devices" in ran.out
    assert "error[discarded-transfer] train.py:9:5" in ran.out
    assert "input-off-module-device" not in ran.out
    assert "fix: Assign it: `x = x.to(device)`" in ran.out


@pytest.mark.parametrize("path", ["/home/you/project/train.py", "C:\\work\\train.py"])
def test_lines_of_another_machine_are_found_by_their_text(traceback: Callable[..., Ran], path: str) -> None:
    assert "raised from train.py:10" in traceback(printed(path, shift=3)).out


def test_json(traceback: Callable[..., Ran]) -> None:
    told = json.loads(traceback(printed("train.py"), "--output-format", "json").out)
    assert told["family"] == "devices-differ"
    assert told["calls"] == [{"filename": "train.py", "row": 14}, {"filename": "train.py", "row": 10}]
    assert told["cause"]["code"] == "discarded-transfer"
    assert told["cause"]["fix"]["message"] == "Assign it: `x = x.to(device)`"


def test_a_file(devls: Callable[..., Ran]) -> None:
    Path("train.py").write_text(PROGRAM, encoding="utf-8")
    Path("log.txt").write_text(printed("train.py"), encoding="utf-8")
    assert devls("traceback", "log.txt", analyzer=ANALYZER).status == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (printed("train.py", "KeyError: 'x'\n"), "claims nothing"),
        (
            printed("train.py", "RuntimeError: Trying to backward through the graph a second time\n"),
            "finds no cause",
        ),
        (printed("other.py"), "None of the lines"),
        (
            printed("train.py").replace("in step", "in forward").replace("in <module>", "in main"),
            "None of the lines",
        ),
        (
            printed("train.py", "RuntimeError: grad can be implicitly created only for scalar outputs\n", 6),
            "None of the lines",
        ),
    ],
)
def test_nothing_is_claimed(traceback: Callable[..., Ran], text: str, said: str) -> None:
    ran = traceback(text)
    assert ran.status == 1
    assert said in ran.out
    assert "[" not in ran.out.partition("\n\n")[2]


def test_what_is_no_traceback_is_said(traceback: Callable[..., Ran], devls: Callable[..., Ran]) -> None:
    ran = traceback("nothing\n")
    assert (ran.status, ran.err) == (2, "devls: standard input holds no traceback.\n")
    assert devls("traceback", "missing.txt").status == 2


def test_escape_sequences_are_not_printed(traceback: Callable[..., Ran]) -> None:
    ran = traceback(printed("train.py", "KeyError: '\x1b]0;title\x07'\n"))
    assert "\x1b" not in ran.out
    assert "\x07" not in ran.out


@pytest.mark.parametrize("number", ["²", "9" * 5000])
def test_numbers_that_python_does_not_read(
    traceback: Callable[..., Ran], devls: Callable[..., Ran], number: str
) -> None:
    text = printed("train.py", "KeyError: 'x'\n").replace("line 10,", f"line {number},")
    text += f"train.py:{number}: KeyError\n"
    ran = traceback(text)
    assert (ran.status, ran.err) == (1, "")
    ran = devls("why", f"train.py:{number}")
    assert ran.status == 2
    assert "names no line" in ran.err


def test_a_cell_of_a_notebook_is_found_by_its_text(devls: Callable[..., Ran]) -> None:
    code = PROGRAM.splitlines(keepends=True)
    cells = [
        {"cell_type": "code", "source": part, "metadata": {}, "outputs": []}
        for part in (code[:12], code[12:])
    ]
    Path("a.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4}), encoding="utf-8")
    text = (
        "RuntimeError      Traceback (most recent call last)\n"
        "Cell In[3], line 3\n----> 3 step(torch.ones(3, 4), torch.ones(3, 2)).backward()\n\n"
        f"Cell In[2], line 10, in step(x, y)\n---> 10     out = net(x)\n\n{DEVICES}"
    )
    ran = devls("traceback", stdin=text.encode(), analyzer=ANALYZER)
    assert "raised from a.ipynb:cell 1:10: out = net(x)" in ran.out
    assert "discarded-transfer" in ran.out


def test_one_line_that_stands_elsewhere_is_no_evidence(devls: Callable[..., Ran]) -> None:
    Path("train.py").write_text(PROGRAM, encoding="utf-8")
    frame = '  File "{}", line {}, in step\n    out = net(x)\n'
    head = "Traceback (most recent call last):\n"
    there = devls(
        "traceback", stdin=(head + frame.format("train.py", 10) + DEVICES).encode(), analyzer=ANALYZER
    )
    assert "raised from train.py:10" in there.out
    elsewhere = devls(
        "traceback", stdin=(head + frame.format("train.py", 31) + DEVICES).encode(), analyzer=ANALYZER
    )
    assert "None of the lines" in elsewhere.out


OF_ANY_PROGRAM = """\
import torch
from torch import nn


def main():
    gate = nn.Linear(2, 2)(torch.ones(1, 2)).sigmoid()
    gate += 1
    loss = (gate.exp_() * gate).sum()
    loss.backward()


main()
"""
WRITTEN = (
    "Traceback (most recent call last):\n"
    '  File "bug.py", line {}, in <module>\n    main()\n'
    '  File "bug.py", line {}, in main\n    loss.backward()\n'
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation\n"
)


@pytest.mark.parametrize(
    ("lines", "claims"), [((12, 9), True), ((22, 19), False), ((12, 10), False), ((13, 9), False)]
)
def test_lines_of_any_program_are_no_evidence_where_they_stand_elsewhere(
    lines: tuple[int, int], claims: bool, devls: Callable[..., Ran]
) -> None:
    Path("bug.py").write_text(OF_ANY_PROGRAM, encoding="utf-8")
    ran = devls("traceback", stdin=WRITTEN.format(*lines).encode(), analyzer=ANALYZER)
    assert ("inplace-breaks-backward" in ran.out) is claims


AVERAGED = """\
import torch
from torch import nn


def masked(pred, target, mask):
    err = (pred - target).abs() * mask
    per_row = err.sum(dim=1) / mask.sum(dim=1)
    return per_row


def smooth(x):
    return x * 0.9


def fit(net, windows):
    for x, mask in windows():
        loss = masked(net(x), smooth(x), mask)
        loss.backward()


fit(nn.Linear(4, 4), open("windows").readlines)
"""
NOT_A_SCALAR = "RuntimeError: grad can be implicitly created only for scalar outputs\n"
AVERAGED_RAISED = (
    "Traceback (most recent call last):\n"
    '  File "/home/you/averaged.py", line 21, in <module>\n    fit(nn.Linear(4, 4), open("windows").readlines)\n'
    '  File "/home/you/averaged.py", line 18, in fit\n    loss.backward()\n'
)


def test_without_a_finding_the_way_of_the_values_is_told(devls: Callable[..., Ran]) -> None:
    Path("averaged.py").write_text(AVERAGED, encoding="utf-8")
    ran = devls("traceback", stdin=(AVERAGED_RAISED + NOT_A_SCALAR).encode(), analyzer=ANALYZER)
    assert ran.status == 1, ran.out
    way = ran.out.partition("nothing is known to be wrong there, the nearest first:\n")[2].splitlines()
    assert [each.strip().partition(": ")[0] for each in way][:3] == [
        "averaged.py:8",
        "averaged.py:7",
        "averaged.py:6",
    ]
    assert way[1] == "  averaged.py:7: per_row = err.sum(dim=1) / mask.sum(dim=1)"
    told = json.loads(
        devls(
            "traceback",
            "--output-format",
            "json",
            stdin=(AVERAGED_RAISED + NOT_A_SCALAR).encode(),
            analyzer=ANALYZER,
        ).out
    )
    assert told["cause"] is None
    assert told["trail"][0] == {"filename": "averaged.py", "row": 8}


LISTED = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = [nn.Linear(3, 3)]

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


net = Net().to("cuda")
net(torch.ones(2, 3, device="cuda"))
"""


def test_a_finding_that_the_values_came_by_is_the_cause(devls: Callable[..., Ran]) -> None:
    Path("listed.py").write_text(LISTED, encoding="utf-8")
    text = (
        'Traceback (most recent call last):\n  File "listed.py", line 17, in <module>\n'
        '    net(torch.ones(2, 3, device="cuda"))\n  File "listed.py", line 12, in forward\n    x = layer(x)\n'
        + DEVICES
    )
    ran = devls("traceback", stdin=text.encode(), analyzer=ANALYZER)
    assert ran.status == 0
    assert "[unregistered-module] listed.py:8" in ran.out


def test_no_way_is_told_where_a_line_of_the_traceback_is_missing(devls: Callable[..., Ran]) -> None:
    Path("averaged.py").write_text(AVERAGED, encoding="utf-8")
    more = '  File "/home/you/other.py", line 3, in hook\n    loss.backward()\n'
    ran = devls("traceback", stdin=(AVERAGED_RAISED + more + NOT_A_SCALAR).encode(), analyzer=ANALYZER)
    assert "nearest first" not in ran.out


NAMED = """\
import torch


class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        return x * k

    @staticmethod
    def backward(ctx, g):
        return g


x = torch.ones(3, requires_grad=True)
y = Scale.apply(x, 2)
y.sum().backward()
"""


def test_what_the_error_names_is_on_the_way(devls: Callable[..., Ran]) -> None:
    Path("named.py").write_text(NAMED, encoding="utf-8")
    text = (
        'Traceback (most recent call last):\n  File "named.py", line 16, in <module>\n    y.sum().backward()\n'
        "RuntimeError: function {}Backward returned an incorrect number of gradients (expected 2, got 1)\n"
    )
    ran = devls("traceback", stdin=text.format("Scale").encode(), analyzer=ANALYZER)
    assert ran.status == 0
    assert "The cause:" in ran.out
    assert "[custom-function] named.py:11" in ran.out
    assert devls("traceback", stdin=text.format("Other").encode(), analyzer=ANALYZER).status == 1


WRONG_SHAPE = "RuntimeError: Function ScaleBackward returned an invalid gradient at index 0 - got [1] but expected [3]\n"


def test_where_a_custom_function_returns_is_on_the_way(devls: Callable[..., Ran]) -> None:
    right = NAMED.replace("return g", "return g.sum(), None")
    Path("named.py").write_text(right, encoding="utf-8")
    begin = 'Traceback (most recent call last):\n  File "named.py", line 16, in <module>\n    y.sum().backward()\n'
    ran = devls("traceback", stdin=(begin + WRONG_SHAPE).encode(), analyzer=ANALYZER)
    assert "named.py:11: return g.sum(), None" in ran.out


ENTERED = """\
import torch
from torch import nn


def freeze(model):
    for each in model.parameters():
        each.requires_grad = False


net = nn.Linear(3, 2)
freeze(net)
loss = net(torch.ones(4, 3)).sum()
loss.backward()
"""


def test_the_call_is_shown_by_which_a_place_was_entered(devls: Callable[..., Ran]) -> None:
    Path("entered.py").write_text(ENTERED, encoding="utf-8")
    begin = (
        'Traceback (most recent call last):\n  File "entered.py", line 13, in <module>\n    loss.backward()\n'
    )
    error = "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn\n"
    ran = devls("traceback", stdin=(begin + error).encode(), analyzer=ANALYZER)
    assert "it came by this call" in ran.out
    assert "11 │ freeze(net)" in ran.out


def test_of_other_errors_of_torch_the_way_is_told(devls: Callable[..., Ran]) -> None:
    Path("entered.py").write_text(ENTERED, encoding="utf-8")
    begin = 'Traceback (most recent call last):\n  File "entered.py", line 12, in <module>\n'
    shown = f"    loss = net(torch.ones(4, 3)).sum()\n{LIBRARY}RuntimeError: mat1 and mat2 shapes cannot be multiplied\n"
    ran = devls("traceback", stdin=(begin + shown).encode(), analyzer=ANALYZER)
    assert "it claims nothing" in ran.out
    assert "entered.py:10: net = nn.Linear(3, 2)" in ran.out


STATES = """\
import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.LSTM(3, 4, batch_first=True)

    def forward(self, x):
        first = torch.zeros(1, x.size(0), 4)
        second = torch.zeros(1, x.size(0), 4)
        out, _ = self.rnn(x, (first, second))
        return out


Net().to(device)(torch.rand(2, 5, 3, device=device))
"""


def test_a_cure_mends_what_would_be_raised_next(devls: Callable[..., Ran]) -> None:
    Path("states.py").write_text(STATES, encoding="utf-8")
    frame = '  File "states.py", line 15, in forward\n    out, _ = self.rnn(x, (first, second))\n'
    error = (
        "RuntimeError: Input and hidden tensors are not at the same device, found input tensor at cuda:0\n"
    )
    text = f"Traceback (most recent call last):\n{frame}{error}"
    told = json.loads(
        devls("traceback", "--output-format", "json", stdin=text.encode(), analyzer=ANALYZER).out
    )
    fix = told["cause"]["fix"]
    assert fix["message"] == "Create it with `device=x.device`, and so in 1 more place"
    written = "".join(each["content"] for each in fix["edits"])
    assert written.count("device=x.device") == 2


MASKED = """\
import torch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def spread(values, index):
    count = torch.zeros(values.size(0)).index_add(0, index.cpu(), torch.ones(index.numel()))
    return values / count


spread(torch.rand(3, device=device), torch.zeros(2, dtype=torch.long, device=device))
"""


def test_the_way_is_offered_after_which_nothing_is_left(devls: Callable[..., Ran]) -> None:
    Path("masked.py").write_text(MASKED, encoding="utf-8")
    frame = '  File "masked.py", line 8, in spread\n    return values / count\n'
    text = f"Traceback (most recent call last):\n{frame}{DEVICES}"
    told = json.loads(
        devls("traceback", "--output-format", "json", stdin=text.encode(), analyzer=ANALYZER).out
    )
    assert told["cause"]["fix"]["message"] == "Move `count` to `values.device`"


# -- `devls why FILE:LINE`: what was considered on a line, and what silenced it.

CONSIDERED = """\
import torch


class Net(torch.nn.Module):
    def forward(self, x):
        return x + torch.ones(3)


class Picked(torch.nn.Module):
    def forward(self, x, wanted):
        if not wanted:
            return torch.zeros(0)
        return x * 2
"""


def why(devls: Callable[..., Ran], line: int) -> Ran:
    Path("a.py").write_text(CONSIDERED, encoding="utf-8")
    return devls("why", f"a.py:{line}", analyzer=ANALYZER)


def test_a_reported_finding_says_what_it_presumes(devls: Callable[..., Ran]) -> None:
    told = why(devls, 6)
    assert told.status == 0
    assert "a.py:6: tensor-created-off-device is reported, as likely." in told.out
    assert (
        "It presumes that an argument, or the module, is on an accelerator (argument-on-accelerator)."
        in told.out
    )


def test_a_silenced_finding_says_what_speaks_against_it(devls: Callable[..., Ran]) -> None:
    told = why(devls, 12)
    assert "a.py:12: result-off-device is not reported." in told.out
    assert (
        "Against it: without elements it stands for nothing: whoever gets it looks at its length first"
        in told.out
    )


UNSURE = """import torch
import vendor


def told(speech: torch.Tensor):
    return torch.cat((speech, torch.ones(1)))


def unsure(speech: torch.Tensor):
    return torch.cat((speech, torch.ones(1)))


def called(audio, device):
    unsure(vendor.found(audio.to(device)))
"""


def test_a_finding_that_no_call_confirms_is_told_apart(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text(UNSURE, encoding="utf-8")
    told, unsure = (devls("why", f"a.py:{line}", analyzer=ANALYZER).out for line in (6, 10))
    assert "is reported, as likely." in told
    assert "no-call-confirms" not in told
    assert "is reported, as possible." in unsure
    assert "none of the calls in sight is seen to (no-call-confirms)." in unsure


def test_a_line_without_findings(devls: Callable[..., Ran]) -> None:
    assert why(devls, 1).out == "a.py:1: nothing was considered here.\n"


def test_a_place_without_a_line_is_refused(devls: Callable[..., Ran]) -> None:
    for place in ("a.py", "a.py:0", "a.py:x", ":3"):
        told = devls("why", place)
        assert told.status == 2
        assert "devls why FILE:LINE" in told.err


def test_a_file_that_is_not_there(devls: Callable[..., Ran]) -> None:
    told = devls("why", "none.py:1", analyzer=ANALYZER)
    assert told.status == 2
    assert "none.py is not checked" in told.err


def test_json_says_what_was_weighed(devls: Callable[..., Ran]) -> None:
    Path("a.py").write_text(CONSIDERED, encoding="utf-8")
    told = devls("--check", "--no-cache", "--output-format", "json", "a.py", analyzer=ANALYZER)
    (found,) = json.loads(told.out)
    says = "an argument, or the module, is on an accelerator"
    assert found["evidence"] == [{"id": "argument-on-accelerator", "says": says, "side": "for"}]


# `devls gradients` and `devls map`: which losses give gradients to which parameters


TRAINING = """\
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk, self.head, self.extra = nn.Linear(4, 8), nn.Linear(8, 1), nn.Linear(8, 1)

    def forward(self, x):
        with torch.no_grad():
            h = self.trunk(x)
        return self.head(h), self.extra(h)


def train(batches):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for x in batches:
        out, _ = net(x)
        loss = out.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def other(w):
    w.sum().backward()


train([torch.randn(3, 4)])
"""


def asked(devls: Callable[..., Ran], *arguments: str) -> Ran:
    Path("a.py").write_text(TRAINING, encoding="utf-8")
    return devls(*arguments, analyzer=ANALYZER)


def test_a_table_says_who_gets_gradients_and_why_others_do_not(devls: Callable[..., Ran]) -> None:
    told = asked(devls, "gradients", "a.py::train")
    assert told.status == 0
    assert told.out.splitlines() == [
        "a.py:23: loss.backward()",
        "    net.trunk  no   2 parameters  grad mode is off here, so no graph is recorded (line 12)",
        "    net.head   yes  2 parameters",
        "    net.extra  no   2 parameters  not used in this loss",
    ]


def test_json_has_each_parameter(devls: Callable[..., Ran]) -> None:
    told = json.loads(asked(devls, "gradients", "a.py::train", "--output-format", "json").out)
    assert [each["line"] for each in told] == [23]
    shown = {each["name"]: (each["gradient"], each["line"]) for each in told[0]["parameters"]}
    assert shown["net.head.weight"] == (True, None)
    assert shown["net.trunk.bias"] == (False, 12)


def test_a_map_has_an_edge_for_each_module(devls: Callable[..., Ran]) -> None:
    lines = asked(devls, "map", "a.py::train").out.splitlines()
    assert lines[0] == "flowchart LR"
    assert "    loss0 --> m1" in lines
    assert '    loss0 -. "not used in this loss" .-x m2' in lines


def test_a_map_can_be_written_to_a_file(devls: Callable[..., Ran]) -> None:
    told = asked(devls, "map", "a.py", "--output", "map.mmd")
    assert (told.status, told.out) == (0, "")
    assert Path("map.mmd").read_text(encoding="utf-8").startswith("flowchart LR\n")


def test_a_map_is_not_written_over_code(devls: Callable[..., Ran]) -> None:
    for name in ("other.py", "kept.pyi", "book.ipynb", "script", "pyproject.toml", "devls.toml"):
        Path(name).write_text("# kept\n", encoding="utf-8")
    Path("link.mmd").symlink_to("a.py")
    for name in ("a.py", "./other.py", "kept.pyi", "book.ipynb", "link.mmd", "pyproject.toml", "devls.toml"):
        told = asked(devls, "map", "a.py", "--output", name)
        assert (told.status, told.out) == (2, "")
        assert "holds code or settings, and is not written over" in told.err
    assert devls("map", "script", "--output", "script", analyzer=ANALYZER).status == 2
    assert Path("a.py").read_text(encoding="utf-8") == TRAINING
    kept = ("other.py", "kept.pyi", "book.ipynb", "script", "pyproject.toml", "devls.toml")
    assert {Path(each).read_text(encoding="utf-8") for each in kept} == {"# kept\n"}


def test_a_map_that_cannot_be_written(devls: Callable[..., Ran]) -> None:
    told = asked(devls, "map", "a.py", "--output", "/dev/full")
    assert (told.status, told.out) == (2, "")
    assert told.err == "devls: /dev/full is not written: no space left on device.\n"


def test_the_page_of_findings_shows_the_map_of_each_file(devls: Callable[..., Ran]) -> None:
    Path("quiet.py").write_text("import torch\n", encoding="utf-8")
    page = asked(devls, "check", "--output-format", "html").out
    assert page.count("<svg ") == 1
    drawn = page[page.index("<svg ") :]
    assert drawn.count('<path class="reached"') == 1
    assert drawn.count('<path class="cut"') == 2
    assert (
        "<code>net.extra</code> gets none of <code>loss</code>, line 23: not used in this loss</li>" in drawn
    )
    assert "is off here, so no graph is recorded (line 12)</li>" in drawn


def test_code_in_a_reason_is_shown_as_code(devls: Callable[..., Ran]) -> None:
    code = "import torch\nw = torch.nn.Linear(1, 1)\nv = torch.nn.Linear(1, 1)\nx = torch.ones(1)\n"
    Path("c.py").write_text(
        f"{code}loss = (w(x).detach() + v(x)).sum()\nloss.backward()\nx.to('cuda')\n", encoding="utf-8"
    )
    page = asked(devls, "check", "c.py", "--output-format", "html").out
    assert "line 6: <code>w(x).detach()</code> is outside the graph (line 5)</li>" in page


def test_names_in_a_map_are_text(devls: Callable[..., Ran]) -> None:
    Path("b.py").write_text(
        TRAINING.replace("loss.backward()", "(loss + ('<i>' != 'é')).backward()"), "utf-8"
    )
    page = asked(devls, "check", "b.py", "--output-format", "html").out
    assert "<svg " in page
    drawn = page[page.index("<svg ") :]
    assert "<i>" not in drawn
    assert "&lt;i&gt;" in drawn


def test_a_name_that_is_not_there_is_an_error(devls: Callable[..., Ran]) -> None:
    told = asked(devls, "gradients", "a.py::missing")
    assert told.status == 2
    assert "a.py defines no missing" in told.err
