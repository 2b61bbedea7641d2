import torch
import torch.nn as nn
import torch.nn.functional as F


class UniversalPatch:
    """A patch that is optimised to change what a fixed classifier says."""

    def __init__(self, size, device):
        init = torch.rand(3, size, size) * 0.1
        self.pixels = init.to(device).requires_grad_(True)
        self.size = size

    def apply(self, images):
        out = images.clone()
        out[:, :, : self.size, : self.size] = self.pixels.clamp(0, 1)
        return out

    def project(self):
        with torch.no_grad():
            self.pixels.clamp_(0, 1)


def pgd(model, images, labels, eps=0.05, steps=3):
    adv = images.detach().clone()
    for _ in range(steps):
        adv.requires_grad_(True)
        loss = F.cross_entropy(model(adv), labels)
        (grad,) = torch.autograd.grad(loss, adv)
        adv = (adv.detach() + eps / steps * grad.sign()).clamp(0, 1)
    return adv


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    classifier = nn.Sequential(nn.Conv2d(3, 8, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4))
    classifier.to(device).eval().requires_grad_(False)
    patch = UniversalPatch(4, device)
    optimizer = torch.optim.Adam([patch.pixels], lr=0.02)
    target = torch.full((8,), 2, device=device)
    for step in range(10):
        images = torch.rand(8, 3, 12, 12).to(device)
        loss = F.cross_entropy(classifier(patch.apply(images)), target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        patch.project()
    adv = pgd(classifier, images, target)
    print(loss.item(), (adv - images).abs().max().item())
