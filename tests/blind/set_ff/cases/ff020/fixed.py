import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyResNet(nn.Module):
    def __init__(self, classes=5, width=8):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 3, padding=1)
        self.block = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.ReLU(), nn.Conv2d(width, width, 3, padding=1))
        self.fc = nn.Linear(width, classes)

    def features(self, x):
        x = F.relu(self.stem(x))
        return F.relu(x + self.block(x))

    def classify(self, maps):
        return self.fc(maps.mean((2, 3)))

    def forward(self, x):
        return self.classify(self.features(x))


class GradCam:
    def __init__(self, model):
        self.model = model.eval()
        self.maps = None

    def _score(self, image, target):
        self.maps = self.model.features(image)
        self.maps.retain_grad()
        logits = self.model.classify(self.maps)
        if target is None:
            target = logits.argmax(1)
        return logits.gather(1, target.view(-1, 1)).sum()

    def __call__(self, image, target=None):
        self.model.zero_grad()
        score = self._score(image, target)
        score.backward()
        weights = self.maps.grad.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.maps.detach()).sum(1, keepdim=True))
        cam = F.interpolate(cam, size=image.shape[-2:], mode="bilinear", align_corners=False)
        low = cam.amin((2, 3), keepdim=True)
        high = cam.amax((2, 3), keepdim=True)
        return (cam - low) / (high - low).clamp_min(1e-8)


def explain(count=2):
    torch.manual_seed(0)
    cam = GradCam(TinyResNet())
    for i in range(count):
        heat = cam(torch.rand(1, 3, 16, 16), torch.tensor([i]))
        print(i, tuple(heat.shape), round(heat.mean().item(), 4))


if __name__ == "__main__":
    explain()
