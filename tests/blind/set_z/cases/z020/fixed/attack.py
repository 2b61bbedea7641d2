from abc import ABC, abstractmethod

import torch
import torch.nn.functional as F


class Attack(ABC):
    def __init__(self, model, device, **kwargs):
        self.model = model.eval()
        self.device = device
        self.options = kwargs

    @abstractmethod
    def run(self, images, labels):
        ...


def new_canvas(shape, device, init="gray"):
    """The image region that gets optimised."""
    if init == "gray":
        base = torch.full(shape, 0.5)
    else:
        base = torch.rand(shape)
    return base.to(device).requires_grad_(True)


class UniversalPatch(Attack):
    """One patch for all images (targeted)."""

    def __init__(self, model, device, size=4, lr=0.05, iters=3, **kwargs):
        super().__init__(model, device, **kwargs)
        self.size, self.lr, self.iters = size, lr, iters
        for p in self.model.parameters():
            p.requires_grad_(False)

    def paste(self, images, patch):
        pad = images.shape[-1] - self.size
        mask = F.pad(torch.ones_like(patch), (0, pad, 0, pad))
        return images * (1 - mask) + F.pad(patch, (0, pad, 0, pad)) * mask

    def run(self, images, labels):
        patch = new_canvas((1, 3, self.size, self.size), self.device, self.options.get("init", "gray"))
        optimizer = torch.optim.Adam([patch], lr=self.lr)
        trace = []
        for _ in range(self.iters):
            logits = self.model(self.paste(images, patch.clamp(0, 1)))
            loss = F.cross_entropy(logits, labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            trace.append(loss.item())
        return patch.detach().clamp(0, 1), trace
