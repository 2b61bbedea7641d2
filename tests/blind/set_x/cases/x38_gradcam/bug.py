"""Grad-CAM for a small classifier."""
import torch
from torch import nn
import torch.nn.functional as F


class Classifier(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU()
        )
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.features(x).mean(dim=(2, 3)))


class GradCAM:
    """Records the output of a layer during the forward pass."""

    def __init__(self, model: nn.Module, layer: nn.Module):
        self.model = model.eval()
        self.maps = None
        self.handle = layer.register_forward_hook(self._record)

    def _record(self, module, inputs, output):
        self.maps = output

    def close(self):
        self.handle.remove()

    def weights(self):
        return self.maps.grad.mean(dim=(2, 3), keepdim=True)

    def __call__(self, image, target=None):
        logits = self.model(image)
        if target is None:
            target = logits.detach().argmax(dim=1)
        self.model.zero_grad()
        logits.gather(1, target.view(-1, 1)).sum().backward()
        cam = (self.weights() * self.maps.detach()).sum(dim=1, keepdim=True).relu()
        cam = F.interpolate(cam, size=image.shape[-2:], mode="bilinear", align_corners=False)
        return cam / cam.amax(dim=(2, 3), keepdim=True).clamp(min=1e-6)


def main():
    net = Classifier()
    cam = GradCAM(net, net.features)
    heat = cam(torch.rand(2, 3, 16, 16))
    cam.close()
    print(heat.shape, heat.max().item())


if __name__ == "__main__":
    main()
