import torch
from torch import nn


class GatedMemory(nn.Module):
    def __init__(self, d=4):
        super().__init__()
        self.proj = nn.Linear(d, 3 * d)
        self.out = nn.Linear(d, d)

    def forward(self, x):
        u, f, o = self.proj(x).split(x.size(-1), dim=-1)
        f = f.sigmoid()
        o = o.sigmoid()
        c = torch.zeros_like(x[:, 0])
        states = []
        for t in range(x.size(1)):
            c = f[:, t] * c + (1 - f[:, t]) * torch.tanh(u[:, t])
            states.append(o[:, t] * c)
        return self.out(torch.stack(states, dim=1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = GatedMemory().to(device)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(2):
        x = torch.randn(2, 5, 4, device=device)
        loss = (net(x) - x.cumsum(1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
