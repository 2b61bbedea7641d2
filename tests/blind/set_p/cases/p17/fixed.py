import torch
import torch.nn as nn
import torch.nn.functional as F


class SmallVGG(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(8, 16, 3, padding=1), nn.ReLU(),
        )
        self.classifier = nn.Linear(16, classes)

    def forward(self, x):
        x = self.features(x)
        return self.classifier(x.mean(dim=(2, 3)))


class GradCAM:
    def __init__(self, model, layer):
        self.model = model
        self.activation = None
        self.gradient = None
        self.handle = layer.register_forward_hook(self._on_forward)

    def _on_forward(self, module, inputs, output):
        self.activation = output.detach()
        output.register_hook(self._on_backward)

    def _on_backward(self, grad):
        self.gradient = grad

    def __call__(self, images, classes):
        scores = self.model(images)
        self.model.zero_grad()
        scores.gather(1, classes[:, None]).sum().backward()
        weights = self.gradient.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activation).sum(dim=1, keepdim=True))
        return F.interpolate(cam, size=images.shape[2:], mode="bilinear", align_corners=False)

    def close(self):
        self.handle.remove()


def load_model(device):
    model = SmallVGG().to(device).eval()
    for p in model.parameters():
        p.requires_grad_(False)
    return model


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = load_model(device)
    images = torch.rand(2, 3, 16, 16).to(device)
    classes = model(images).argmax(dim=1)
    images.requires_grad_(True)
    cam = GradCAM(model, model.features[3])
    heat = cam(images, classes)
    cam.close()
    print(heat.shape, heat.amax(dim=(1, 2, 3)).tolist())


if __name__ == "__main__":
    main()
