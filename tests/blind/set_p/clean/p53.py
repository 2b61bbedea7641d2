from contextlib import nullcontext

import torch
import torch.nn as nn
import torch.nn.functional as F


class Scorer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 3))

    def forward(self, x):
        return self.body(x)


def make_phase(n):
    x = torch.randn(n, 6)
    return [(x[i:i + 16], x[i:i + 16, :3].argmax(1)) for i in range(0, n, 16)]


def run_phase(model, batches, device, optimizer=None):
    training = optimizer is not None
    model.train(training)
    seen = right = 0
    with torch.set_grad_enabled(training):
        for x, y in batches:
            x, y = x.to(device), y.to(device)
            logits = model(x)
            if training:
                optimizer.zero_grad()
                F.cross_entropy(logits, y).backward()
                optimizer.step()
            right += (logits.argmax(1) == y).sum().item()
            seen += len(y)
    return right / seen


def quiet_forward(model, x, keep_graph=False):
    with nullcontext() if keep_graph else torch.no_grad():
        return model(x)


def sensitivity(model, x):
    previous = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    try:
        x = x.clone().requires_grad_(True)
        (g,) = torch.autograd.grad(quiet_forward(model, x, keep_graph=True).logsumexp(1).sum(), x)
    finally:
        torch.set_grad_enabled(previous)
    return g.abs().mean(dim=0)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = {"train": make_phase(96), "val": make_phase(32)}
    model = Scorer().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(3):
        fit = run_phase(model, data["train"], device, optimizer)
        held = run_phase(model, data["val"], device)
        print(epoch, fit, held)
    x = data["val"][0][0].to(device)
    print(sensitivity(model, x).tolist(), quiet_forward(model, x).shape)


if __name__ == "__main__":
    main()
