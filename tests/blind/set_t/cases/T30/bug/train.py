import torch
from torch import nn
import torch.nn.functional as F
from monitor import WeightMonitor


class TCN(nn.Module):
    def __init__(self, channels=8, levels=3):
        super().__init__()
        self.inp = nn.Conv1d(1, channels, 1)
        self.levels = nn.ModuleList(nn.Conv1d(channels, channels, 3, dilation=2 ** i) for i in range(levels))
        self.out = nn.Conv1d(channels, 1, 1)

    def forward(self, x):
        h = self.inp(x)
        for conv in self.levels:
            pad = 2 * conv.dilation[0]
            h = h + torch.relu(conv(F.pad(h, (pad, 0))))
        return self.out(h)


def waves(n, t=50):
    f = torch.rand(n, 1) * 0.4 + 0.1
    x = torch.sin(torch.arange(t + 1) * f).unsqueeze(1)
    return x[..., :-1], x[..., 1:]


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TCN().to(device)
    monitor = WeightMonitor()
    handles = [monitor.watch(conv, f"level{i}") for i, conv in enumerate(model.levels)]
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(6):
        x, y = (t.to(device) for t in waves(8))
        loss = F.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 3 == 0:
            monitor.snapshot(step, model)
    for h in handles:
        h.remove()
    print(monitor.dump())


if __name__ == "__main__":
    main()
