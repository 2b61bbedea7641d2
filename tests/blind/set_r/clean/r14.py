import torch
import torch.nn as nn


class Rotary(nn.Module):
    """Turns pairs of channels by an angle that grows with the position."""

    def __init__(self, dim):
        super().__init__()
        rate = 100.0 ** (-torch.arange(0, dim, 2).float() / dim)
        self.register_buffer("rate", rate)

    def forward(self, x):
        pos = torch.arange(x.size(1), device=x.device).float()
        angle = pos[:, None] * self.rate
        a, b = x.chunk(2, dim=-1)
        cos, sin = angle.cos(), angle.sin()
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class Biased(nn.Module):
    def __init__(self, dim, length):
        super().__init__()
        self.rotary = Rotary(dim)
        self.query = nn.Linear(dim, dim)
        self.key = nn.Linear(dim, dim)
        self.distance = nn.Parameter(torch.zeros(1, length, length))

    def forward(self, x, lengths):
        b, n, d = x.shape
        bias = self.distance[:, :n, :n].expand(b, n, n).clone()
        hidden = torch.arange(n, device=x.device)[None, :] >= lengths[:, None]
        bias.masked_fill_(hidden[:, None, :], -1e4)
        q = self.rotary(self.query(x))
        q[:, 0] += 1.0
        scores = q @ self.rotary(self.key(x)).transpose(1, 2)
        scores /= d ** 0.5
        return (scores + bias).softmax(-1) @ x


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    layer = Biased(8, 16).to(device)
    optimizer = torch.optim.Adam(layer.parameters(), lr=1e-2)
    for _ in range(4):
        x = torch.randn(3, 10, 8, device=device)
        lengths = torch.tensor([10, 6, 3], device=device)
        loss = (layer(x, lengths) - x.mean(1, keepdim=True)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


main()
