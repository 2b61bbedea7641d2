import torch
import torch.nn as nn
import torch.nn.functional as F


class RunningMean:
    """Adds on the device; the value is fetched when it is asked for."""

    def __init__(self, device):
        self.total = torch.zeros((), device=device)
        self.n = 0

    def add(self, value):
        self.total += value.detach()
        self.n += 1

    def pop(self):
        mean = (self.total / max(self.n, 1)).item()
        self.total.zero_()
        self.n = 0
        return mean


def cycle(pairs):
    while True:
        yield from pairs


def main(steps=40, log_every=20):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    class_weight = torch.tensor([1.0, 2.0, 0.5]).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    meters = {name: RunningMean(device) for name in ("loss", "accuracy")}
    data = [(x, x[:, :3].argmax(1)) for x in torch.randn(8, 16, 10)]
    source = cycle(data)
    for step in range(1, steps + 1):
        x, y = (t.to(device, non_blocking=True) for t in next(source))
        logits = model(x)
        loss = F.cross_entropy(logits, y, weight=class_weight)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        meters["loss"].add(loss)
        meters["accuracy"].add((logits.argmax(1) == y).float().mean())
        if step % log_every == 0:
            print(step, {k: round(m.pop(), 4) for k, m in meters.items()})


if __name__ == "__main__":
    main()
