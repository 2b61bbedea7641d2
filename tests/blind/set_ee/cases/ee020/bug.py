import torch
from torch import nn

MEAN = (0.485, 0.456, 0.406)
STD = (0.229, 0.224, 0.225)


class TinyNet(nn.Module):
    def __init__(self, n_classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 12, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(12, 24, 3, padding=1), nn.ReLU(), nn.AdaptiveMaxPool2d(1),
        )
        self.classifier = nn.Linear(24, n_classes)

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


def normalize(images):
    mean = images.new_tensor(MEAN).view(1, 3, 1, 1)
    std = images.new_tensor(STD).view(1, 3, 1, 1)
    return (images - mean) / std


def saliency(model, images, class_idx=None):
    model.eval()
    images = images.clone().requires_grad_(True)
    inputs = normalize(images)
    scores = model(inputs)
    if class_idx is None:
        class_idx = scores.argmax(dim=1)
    picked = scores.gather(1, class_idx.view(-1, 1)).sum()
    model.zero_grad()
    picked.backward()
    heat = inputs.grad.abs().amax(dim=1)
    flat = heat.flatten(1)
    return (flat / flat.amax(dim=1, keepdim=True).clamp(min=1e-12)).view_as(heat)


def top_pixels(heat, k=5):
    values, idx = heat.flatten(1).topk(k, dim=1)
    width = heat.size(-1)
    rows = torch.div(idx, width, rounding_mode="floor")
    return torch.stack([rows, idx % width, ], dim=-1), values


if __name__ == "__main__":
    torch.manual_seed(3)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = TinyNet().to(device)
    batch = torch.rand(2, 3, 20, 20, device=device)
    coords, values = top_pixels(saliency(net, batch))
    print(coords.tolist())
    print(values.tolist())
