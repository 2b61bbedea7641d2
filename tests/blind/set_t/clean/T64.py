import torch
import torch.nn as nn


class FourierFeatures(nn.Module):
    def __init__(self, n=8, scale=2.0):
        super().__init__()
        self.register_buffer("freq", torch.randn(1, n) * scale)

    def forward(self, t):
        a = 2 * torch.pi * t @ self.freq
        return torch.cat([a.sin(), a.cos()], -1)


class NeuralODE(nn.Module):
    """Irregular clinical measurements, fixed-step RK4 between them."""

    def __init__(self, dim=3, hidden=24):
        super().__init__()
        self.time = FourierFeatures()
        self.rhs = nn.Sequential(nn.Linear(dim + 16, hidden), nn.Tanh(), nn.Linear(hidden, dim))
        self.max_step = torch.tensor(0.1)

    def derivative(self, t, y):
        return self.rhs(torch.cat([y, self.time(t)], -1))

    def rk4(self, t, y, h):
        k1 = self.derivative(t, y)
        k2 = self.derivative(t + h / 2, y + h / 2 * k1)
        k3 = self.derivative(t + h / 2, y + h / 2 * k2)
        k4 = self.derivative(t + h, y + h * k3)
        return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

    def forward(self, y0, times):
        """times: list of floats, the same for all patients"""
        t = y0.new_zeros(len(y0), 1)
        y, now, path = y0, 0.0, [y0]
        for target in times[1:]:
            n = max(1, int((target - now) / self.max_step))
            h = torch.tensor((target - now) / n)
            for _ in range(n):
                y = self.rk4(t, y, h)
                t = t + h
            now = target
            path.append(y)
        return torch.stack(path, 1)


def simulate(times, n=16):
    t = torch.tensor(times).view(1, -1, 1)
    rate = torch.rand(n, 1, 3) + 0.5
    return torch.exp(-rate * t) + 0.02 * torch.randn(n, len(times), 3)


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    times = [0.0, 0.13, 0.35, 0.6]
    data = simulate(times)
    seen = torch.rand(data.shape[:2]) < 0.8
    seen[:, 0] = True
    model = NeuralODE().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    data, seen = data.to(device), seen.to(device)
    for step in range(4):
        path = model(data[:, 0], times)
        loss = (path[seen] - data[seen]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())
