import torch
import torch.nn as nn
import torch.nn.functional as F

from attack import fgsm, normalise


class SmallCNN(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), nn.ReLU())
        self.head = nn.Linear(16, classes)

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


def adversarial_training(model, batches, mean, std, device, eps=8 / 255):
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for x, y in batches:
        x, y = x.to(device), y.to(device)
        model.eval()
        adv = fgsm(model, x, y, eps, mean, std)
        model.train()
        clean = F.cross_entropy(model(normalise(x, mean, std)), y)
        robust = F.cross_entropy(model(normalise(adv, mean, std)), y)
        opt.zero_grad()
        (0.5 * clean + 0.5 * robust).backward()
        opt.step()
    return clean.item(), robust.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    mean = torch.tensor([0.49, 0.48, 0.45], device=device)
    std = torch.tensor([0.25, 0.24, 0.26], device=device)
    batches = [(torch.rand(8, 3, 16, 16), torch.randint(0, 5, (8,))) for _ in range(3)]
    print(adversarial_training(SmallCNN().to(device), batches, mean, std, device))
