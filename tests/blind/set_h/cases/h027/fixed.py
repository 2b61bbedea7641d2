import torch
import torch.nn as nn
import torch.nn.functional as F


class CNN(nn.Module):
    def __init__(self, classes=7):
        super().__init__()
        self.stage1 = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2))
        self.stage2 = nn.Sequential(nn.Conv2d(8, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU())
        self.fc = nn.Linear(16, classes)

    def forward(self, x):
        return self.fc(self.stage2(self.stage1(x)).mean((2, 3)))


def load_for_inference(device):
    model = CNN().to(device)
    model.eval()
    for p in model.parameters():
        p.requires_grad_(False)
    return model


class GradCAM:
    """Heat map of the class evidence in one layer."""

    def __init__(self, model, layer):
        self.model = model
        self.activation = None
        self.gradient = None
        self.handle = layer.register_forward_hook(self._keep)

    def _keep(self, module, inputs, output):
        self.activation = output
        output.register_hook(self._keep_grad)

    def _keep_grad(self, grad):
        self.gradient = grad

    def __call__(self, image, target=None):
        logits = self.model(image.detach().requires_grad_())
        if target is None:
            target = logits.argmax(1)
        score = logits.gather(1, target.view(-1, 1)).sum()
        score.backward()
        weight = self.gradient.mean((2, 3), keepdim=True)
        cam = F.relu((weight * self.activation.detach()).sum(1, keepdim=True))
        cam = F.interpolate(cam, size=image.shape[2:], mode="bilinear", align_corners=False)
        return cam / cam.amax((2, 3), keepdim=True).clamp_min(1e-8)

    def close(self):
        self.handle.remove()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = load_for_inference(device)
    cam = GradCAM(model, model.stage2)
    images = torch.rand(4, 3, 24, 24, device=device)
    maps = cam(images)
    cam.close()
    print(maps.shape, maps.mean((1, 2, 3)).tolist())


if __name__ == "__main__":
    main()
