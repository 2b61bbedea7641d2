import contextlib

import torch
import torch.nn as nn


class FeatureStats:
    """Records activations of chosen layers and, in training, the size of their gradients."""

    def __init__(self, model, names):
        self.outputs, self.grad_norms, self.handles = {}, {}, []
        modules = dict(model.named_modules())
        for name in names:
            self.handles.append(modules[name].register_forward_hook(self._make_hook(name)))

    def _make_hook(self, name):
        def hook(module, inputs, output):
            self.outputs[name] = output.detach().float().mean()
            if output.requires_grad:
                output.register_hook(lambda g: self.grad_norms.__setitem__(name, g.norm()))
        return hook

    def close(self):
        for handle in self.handles:
            handle.remove()
        self.handles.clear()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


def probe(model, batch, names, train=False):
    """Runs one batch; gradients are looked at only when `train` is set."""
    mode = contextlib.nullcontext() if train else torch.no_grad()
    with FeatureStats(model, names) as stats:
        with mode:
            out = model(batch)
        if train:
            out.square().mean().backward()
            model.zero_grad()
    summary = {name: value.item() for name, value in stats.outputs.items()}
    norms = {name: value.item() for name, value in stats.grad_norms.items()}
    return summary, norms
