import torch
from torch import nn
import torch.nn.functional as F


class ResidualStack(nn.Module):
    def __init__(self, width, depth, dropout=0.0):
        super().__init__()
        self.stem = nn.Linear(10, width)
        self.blocks = []
        for _ in range(depth):
            norm = nn.LayerNorm(width)
            mix = nn.Linear(width, width)
            self.blocks.append((norm, mix))
        self.drop = nn.Dropout(dropout)
        self.final_norm = nn.LayerNorm(width)

    def forward(self, x):
        x = self.stem(x)
        for norm, mix in self.blocks:
            x = x + self.drop(F.gelu(mix(norm(x))))
        return self.final_norm(x)


class Classifier(nn.Module):
    def __init__(self, n_classes, width=32, depth=3):
        super().__init__()
        self.trunk = ResidualStack(width, depth, dropout=0.1)
        self.head = nn.Linear(width, n_classes)

    def forward(self, x):
        return self.head(self.trunk(x))


def param_groups(model, weight_decay):
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        (no_decay if p.ndim == 1 else decay).append(p)
    return [
        {"params": decay, "weight_decay": weight_decay},
        {"params": no_decay, "weight_decay": 0.0},
    ]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Classifier(4).to(device)
    opt = torch.optim.AdamW(param_groups(model, 0.05), lr=3e-4)
    x = torch.randn(64, 10)
    y = (x[:, 0] > 0).long() + 2 * (x[:, 1] > 0).long()
    x, y = x.to(device), y.to(device)
    model.train()
    for step in range(20):
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    print("train loss", loss.item())


if __name__ == "__main__":
    main()
