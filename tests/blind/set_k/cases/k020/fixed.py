import torch
import torch.nn as nn
import torch.nn.functional as F


class SmallResNet(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.stem = nn.Conv2d(3, 8, 3, padding=1)
        self.layer1 = nn.Conv2d(8, 8, 3, padding=1)
        self.layer2 = nn.Conv2d(8, 16, 3, stride=2, padding=1)
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        x = F.relu(self.stem(x))
        x = x + F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.fc(x.mean((2, 3)))


class CamExplainer:
    def __init__(self, model, layers):
        self.model = model.eval()
        self.acts = {}
        modules = dict(model.named_modules())
        self.handles = [modules[n].register_forward_hook(self._keep(n)) for n in layers]

    def _keep(self, name):
        def hook(module, inputs, output):
            output.retain_grad()
            self.acts[name] = output

        return hook

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for h in self.handles:
            h.remove()

    def heatmap(self, image, target=None):
        self.model.zero_grad()
        logits = self.model(image)
        target = logits.argmax(1) if target is None else target
        logits.gather(1, target[:, None]).sum().backward()
        maps = {}
        for name, act in self.acts.items():
            weight = act.grad.mean(dim=(2, 3), keepdim=True)
            cam = F.relu((weight * act.detach()).sum(1, keepdim=True))
            maps[name] = F.interpolate(cam, size=image.shape[-2:], mode="bilinear", align_corners=False)
        return maps


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SmallResNet().to(device)
    images = torch.randn(2, 3, 24, 24, device=device)
    with CamExplainer(model, ["layer1", "layer2"]) as explain:
        maps = explain.heatmap(images)
    for name, m in maps.items():
        print(name, tuple(m.shape), f"{m.max().item():.4f}")


if __name__ == "__main__":
    main()
