import torch
import torch.nn as nn

from layers import ConditionedBlock


class Denoiser(nn.Module):
    def __init__(self, channels=8, depth=2):
        super().__init__()
        self.inp = nn.Conv1d(1, channels, 1)
        self.blocks = nn.ModuleList(ConditionedBlock(channels, 16) for _ in range(depth))
        self.out = nn.Conv1d(channels, 1, 1)

    def forward(self, x, t):
        h = self.inp(x)
        for block in self.blocks:
            h = block(h, t)
        return self.out(h)


def main():
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    net = Denoiser().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    for step in range(5):
        clean = torch.sin(torch.linspace(0, 6, 32, device=device)).repeat(8, 1, 1)
        t = torch.randint(0, 100, (8,), device=device)
        noise = torch.randn_like(clean)
        level = (t.float() / 100)[:, None, None]
        pred = net(clean * (1 - level) + noise * level, t)
        loss = (pred - noise).square().mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
