import torch
from torch import nn

MEAN, STD = (0.48, 0.45, 0.40), (0.22, 0.22, 0.22)


class Normalize(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(1, -1, 1, 1))
        self.register_buffer("std", torch.tensor(std).view(1, -1, 1, 1))

    def forward(self, x):
        return (x - self.mean) / self.std


def small_cnn(classes=5):
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 8, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, classes),
    )


class Saliency:
    def __init__(self, model, preprocess):
        self.model, self.preprocess = model.eval(), preprocess
        self.model.requires_grad_(False)

    def __call__(self, image, target=None):
        image = image.clone().requires_grad_(True)
        logits = self.model(self.preprocess(image))
        if target is None:
            target = logits.argmax(dim=1)
        score = logits.gather(1, target[:, None]).sum()
        score.backward()
        return image.grad.abs().amax(dim=1)

    def smooth(self, image, n=4, sigma=0.1):
        maps = [self(image + sigma * torch.randn_like(image)) for _ in range(n)]
        return torch.stack(maps).mean(0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
explain = Saliency(small_cnn().to(device), Normalize(MEAN, STD).to(device))
images = torch.rand(2, 3, 16, 16).to(device)
heat = explain.smooth(images)
print(heat.shape, heat.max().item())
