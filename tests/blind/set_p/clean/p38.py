from contextlib import contextmanager

import torch
import torch.nn as nn
import torch.nn.functional as F


@contextmanager
def evaluating(model):
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad():
            yield model
    finally:
        model.train(was_training)


class DropNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.inp = nn.Linear(5, 24)
        self.norm = nn.BatchNorm1d(24)
        self.drop = nn.Dropout(0.25)
        self.out = nn.Linear(24, 3)

    def forward(self, x):
        return self.out(self.drop(F.relu(self.norm(self.inp(x)))))


def accuracy(model, x, y):
    with evaluating(model) as m:
        return (m(x).argmax(1) == y).float().mean().item()


def mc_uncertainty(model, x, samples=8):
    model.eval()
    model.drop.train()
    with torch.no_grad():
        draws = torch.stack([model(x).softmax(1) for _ in range(samples)])
    model.eval()
    return draws.std(dim=0).mean().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(120, 5, device=device)
    y = x[:, :3].argmax(dim=1)
    model = DropNet().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    model.train()
    for epoch in range(3):
        for xb, yb in zip(x[:96].split(24), y[:96].split(24)):
            optimizer.zero_grad()
            loss = F.cross_entropy(model(xb), yb)
            loss.backward()
            optimizer.step()
        print(epoch, accuracy(model, x[96:], y[96:]))
    print("spread", mc_uncertainty(model, x[96:]))


if __name__ == "__main__":
    main()
