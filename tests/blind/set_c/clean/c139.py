"""Records activations and gradients of chosen layers."""
import contextlib

import torch


class Recorder:
    def __init__(self):
        self.activations, self.gradients, self.handles = {}, {}, []

    def attach(self, name, module):
        def forward_hook(mod, inputs, output):
            self.activations[name] = output.detach().cpu()
            if output.requires_grad:
                output.register_hook(lambda g: self.gradients.__setitem__(name, g.detach().cpu()))

        self.handles.append(module.register_forward_hook(forward_hook))

    def remove(self):
        for h in self.handles:
            h.remove()

    def summary(self):
        lines = []
        for name, act in self.activations.items():
            grad = self.gradients.get(name)
            lines.append(f"{name}: act {act.norm():.3f} grad {0.0 if grad is None else grad.norm().item():.3f}")
        return lines


@contextlib.contextmanager
def capture(model, layers=None):
    recorder = Recorder()
    for name, module in model.named_modules():
        if layers is None or name in layers:
            recorder.attach(name or "root", module)
    try:
        yield recorder
    finally:
        recorder.remove()


def gradcam(model, layer, x, index):
    feats = []
    handle = layer.register_forward_hook(lambda m, i, o: feats.append(o))
    score = model(x)[:, index].sum()
    handle.remove()
    (grad,) = torch.autograd.grad(score, feats[0])
    weights = grad.mean((-2, -1), keepdim=True)
    cam = torch.relu((weights * feats[0]).sum(1)).detach()
    return cam / cam.amax((-2, -1), keepdim=True).clamp(min=1e-8)
