import torch
import torch.nn as nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
        )
        self.classifier = nn.Linear(16, classes)

    def forward(self, x):
        x = self.features(x)
        return self.classifier(x.mean(dim=(2, 3)))


class GradCAM:
    def __init__(self, model, layer):
        self.model = model.eval()
        self.maps = None
        self.handle = layer.register_forward_hook(self._keep)

    def _keep(self, module, inputs, output):
        output.retain_grad()
        self.maps = output

    def __call__(self, x, target=None):
        self.model.zero_grad()
        logits = self.model(x)
        if target is None:
            target = logits.argmax(dim=1)
        logits.gather(1, target[:, None]).sum().backward()
        grads = self.maps.grad
        weights = grads.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.maps.detach()).sum(dim=1, keepdim=True))
        cam = F.interpolate(cam, size=x.shape[-2:], mode="bilinear", align_corners=False)
        lo, hi = cam.amin(dim=(2, 3), keepdim=True), cam.amax(dim=(2, 3), keepdim=True)
        return (cam - lo) / (hi - lo + 1e-8)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.handle.remove()


def overlay(image, cam, alpha=0.4):
    heat = torch.cat([cam, torch.zeros_like(cam), 1 - cam], dim=1)
    return (1 - alpha) * image + alpha * heat


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Backbone().to(device)
    batch = torch.rand(2, 3, 32, 32, device=device)
    with GradCAM(net, net.features[3]) as cam:
        heat = cam(batch)
    out = overlay(batch, heat).mul(255).byte().cpu().numpy()
    print(out.shape, out.dtype)
