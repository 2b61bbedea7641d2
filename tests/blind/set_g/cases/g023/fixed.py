import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def build_victim():
    return nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10))


class UniversalPerturbation:
    """One additive pattern that fools the classifier on many images."""

    def __init__(self, shape, eps=0.1, step=0.02):
        self.eps, self.step = eps, step
        self.delta = torch.zeros(1, *shape, device=device, requires_grad=True)

    def apply(self, x):
        return (x + self.delta).clamp(0, 1)

    def ascend(self):
        with torch.no_grad():
            self.delta.add_(self.step * self.delta.grad.sign())
            self.delta.clamp_(-self.eps, self.eps)
        self.delta.grad = None


def craft(victim, images, labels, rounds=4):
    pattern = UniversalPerturbation(images.shape[1:])
    for _ in range(rounds):
        loss = F.cross_entropy(victim(pattern.apply(images)), labels)
        loss.backward()
        pattern.ascend()
    return pattern


if __name__ == "__main__":
    victim = build_victim().to(device).eval().requires_grad_(False)
    images = torch.rand(12, 1, 8, 8, device=device)
    labels = torch.randint(0, 10, (12,), device=device)
    pattern = craft(victim, images, labels)
    with torch.no_grad():
        fooled = (victim(pattern.apply(images)).argmax(1) != labels).float().mean()
    print("fooled", fooled.item())
