"""Tests of the way torch itself behaves; the failures are wanted."""
import contextlib

import torch


@contextlib.contextmanager
def raises(kind, text=""):
    try:
        yield
    except kind as err:
        assert text in str(err), err
    else:
        raise AssertionError("nothing raised")


def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)


def test_grad_accumulates():
    x = leaf(2)
    for _ in range(3):
        (x * 2).sum().backward()
    assert x.grad.tolist() == [6.0, 6.0]


def test_retain_graph():
    x = leaf(2)
    y = x.exp().sum()
    y.backward(retain_graph=True)
    y.backward()
    assert torch.allclose(x.grad, 2 * x.detach().exp())


def test_clone_keeps_leaf():
    x = leaf(3)
    y = x.clone()
    y[0] = 5
    y.sum().backward()
    assert x.grad.tolist() == [0.0, 1.0, 1.0]


def test_vector_backward():
    x = leaf(3)
    (x * x).backward(torch.tensor([1.0, 0.0, 2.0]))
    assert x.grad.tolist() == [2.0, 0.0, 4.0]


def test_missing_file():
    with raises(FileNotFoundError):
        torch.load("no-such-file.pt", map_location="cpu")


def test_index_out_of_range():
    with raises(IndexError):
        torch.zeros(2)[5]
