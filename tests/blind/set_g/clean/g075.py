import torch
import torch.nn as nn
import torch.nn.functional as F


class FineTuner(nn.Module):
    def __init__(self, backbone, width, classes):
        super().__init__()
        self.backbone = backbone
        self.head = nn.Linear(width, classes)
        self.frozen = False

    def freeze(self, flag=True):
        self.frozen = flag
        self.backbone.requires_grad_(not flag)
        return self

    def train(self, mode=True):
        super().train(mode)
        if self.frozen:
            self.backbone.eval()
        return self

    def forward(self, x):
        with torch.set_grad_enabled(torch.is_grad_enabled() and not self.frozen):
            features = self.backbone(x)
        return self.head(features)


def make_optimizer(model, lr):
    return torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=lr, momentum=0.9)


def phase(model, optimizer, device, steps):
    model.train()
    for _ in range(steps):
        x = torch.randn(16, 5, device=device)
        y = (x[:, 0] > 0).long()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    backbone = nn.Sequential(nn.Linear(5, 12), nn.BatchNorm1d(12), nn.ReLU())
    model = FineTuner(backbone, 12, 2).to(device).freeze()
    print("head only", phase(model, make_optimizer(model, 0.1), device, 3))
    model.freeze(False)
    print("all", phase(model, make_optimizer(model, 0.01), device, 3))


if __name__ == "__main__":
    main()
