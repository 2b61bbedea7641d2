import torch
from torch import nn

from meters import Board


class AutoEncoder(nn.Module):
    def __init__(self, d=12, z=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 8), nn.Tanh(), nn.Linear(8, z))
        self.dec = nn.Sequential(nn.Linear(z, 8), nn.Tanh(), nn.Linear(8, d))

    def forward(self, x):
        z = self.enc(x)
        return self.dec(z), z


def epoch(model, optim, data):
    board = Board("recon", "sparsity")
    for x in data:
        out, z = model(x)
        recon = (out - x).pow(2).mean()
        sparsity = z.abs().mean()
        optim.zero_grad()
        (recon + 1e-3 * sparsity).backward()
        optim.step()
        board.update(n=len(x), recon=recon, sparsity=sparsity)
    return board


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = AutoEncoder().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    data = [torch.randn(4, 12, device=device) for _ in range(4)]
    for e in range(2):
        board = epoch(net, opt, data)
        print(e, board.line())
