import copy
import io

import torch
import torch.nn as nn
import torch.nn.functional as F


class ModelEMA:
    """Averaged weights, kept on the CPU so that they take no memory elsewhere."""

    def __init__(self, model, decay=0.9):
        self.module = copy.deepcopy(model).to("cpu").eval().requires_grad_(False)
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for avg, p in zip(self.module.parameters(), model.parameters()):
            avg.lerp_(p.to("cpu"), 1 - self.decay)
        for avg, b in zip(self.module.buffers(), model.buffers()):
            avg.copy_(b)


def export(model):
    buffer = io.BytesIO()
    torch.save({k: v.cpu() for k, v in model.state_dict().items()}, buffer)
    return buffer.tell()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    ema = ModelEMA(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    x = torch.randn(128, 5)
    y = (x.sum(1) > 0).long()
    for epoch in range(3):
        for idx in torch.randperm(128).split(32):
            xb, yb = x[idx].to(device), y[idx].to(device)
            loss = F.cross_entropy(model(xb), yb)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        ema.update(model)
        with torch.no_grad():
            acc = (ema.module(x).argmax(1) == y).float().mean()
        print(epoch, loss.item(), acc.item(), export(model), "bytes")


if __name__ == "__main__":
    main()
