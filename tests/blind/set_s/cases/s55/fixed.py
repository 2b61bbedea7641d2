import torch
import torch.nn as nn
import torch.nn.functional as F


class GradCAM:
    """Class activation maps for a trained classifier."""

    def __init__(self, model, layer):
        self.model = model.eval()
        for p in self.model.parameters():
            p.requires_grad_(False)
        self.activations = None
        self.gradients = None
        self.handle = layer.register_forward_hook(self._forward_hook)

    def _forward_hook(self, module, inputs, output):
        self.activations = output
        output.register_hook(self._store)

    def _store(self, grad):
        self.gradients = grad.detach()

    def __call__(self, images, target=None):
        device = next(self.model.parameters()).device
        images = images.detach().to(device).requires_grad_(True)
        logits = self.model(images)
        if target is None:
            target = logits.argmax(dim=1)
        score = logits.gather(1, target.view(-1, 1)).sum()
        self.model.zero_grad()
        score.backward()
        weights = self.gradients.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activations.detach()).sum(dim=1, keepdim=True))
        cam = F.interpolate(cam, size=images.shape[-2:], mode="nearest")
        peak = cam.flatten(1).max(dim=1).values.clamp(min=1e-8)
        return cam / peak.view(-1, 1, 1, 1)

    def close(self):
        self.handle.remove()


def build_classifier(classes=5):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(),
        nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, classes),
    )
