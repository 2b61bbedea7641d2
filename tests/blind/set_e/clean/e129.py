import torch
from torch import nn


class Standardizer:
    """Running mean and variance on whatever device the first batch came from."""

    def __init__(self):
        self.n, self.mean, self.m2 = 0, None, None

    def update(self, x):
        x = x.detach()
        if self.mean is None:
            self.mean = torch.zeros(x.size(1), device=x.device)
            self.m2 = torch.zeros_like(self.mean)
        for row in x:
            self.n += 1
            delta = row - self.mean
            self.mean += delta / self.n
            self.m2 += delta * (row - self.mean)

    @property
    def std(self):
        return (self.m2 / max(1, self.n - 1)).sqrt().clamp(min=1e-6)

    def __call__(self, x):
        return (x - self.mean.to(x.device)) / self.std.to(x.device)

    def state_dict(self):
        return {"n": self.n, "mean": self.mean.cpu(), "m2": self.m2.cpu()}

    def load_state_dict(self, state):
        self.n, self.mean, self.m2 = state["n"], state["mean"].clone(), state["m2"].clone()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    scaler = Standardizer()
    model = nn.Linear(3, 1).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        x = torch.randn(6, 3, device=device) * 5 + 2
        scaler.update(x)
        loss = (model(scaler(x)) - x.sum(1, keepdim=True)).abs().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    other = Standardizer()
    other.load_state_dict(scaler.state_dict())
    print(other(torch.zeros(1, 3)).tolist(), loss.item())


if __name__ == "__main__":
    main()
