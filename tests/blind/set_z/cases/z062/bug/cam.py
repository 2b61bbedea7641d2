from typing import Optional

import torch
from torch import nn
import torch.nn.functional as F


class GradCAM:
    """Class activation maps of one layer; activations are caught by a forward hook."""

    def __init__(self, model: nn.Module, layer: nn.Module):
        self.model = model.eval()
        self.activation: Optional[torch.Tensor] = None
        self.handle = layer.register_forward_hook(self._catch)

    def _catch(self, module, inputs, output):
        self.activation = output

    def close(self):
        self.handle.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()

    def weights(self):
        return self.activation.grad.mean((2, 3), keepdim=True)

    def __call__(self, images, target=None):
        logits = self.model(images)
        if target is None:
            target = logits.argmax(1)
        self.model.zero_grad()
        logits.gather(1, target[:, None]).sum().backward()
        cam = (self.weights() * self.activation.detach()).sum(1, keepdim=True).relu()
        cam = F.interpolate(cam, size=images.shape[-2:], mode="bilinear", align_corners=False)
        peak = cam.flatten(1).amax(1).clamp(min=1e-8)
        return cam.squeeze(1) / peak[:, None, None], logits.detach()
