import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class LatentTable:
    """One free code per training example (auto-decoder)."""

    def __init__(self, n, dim, std=0.01):
        self.codes = nn.Parameter((torch.randn(n, dim) * std).to(device))

    def __call__(self, idx):
        return self.codes[idx]

    def parameters(self):
        return [self.codes]


class Decoder(nn.Module):
    def __init__(self, dim, hidden=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 2, hidden), nn.Softplus(), nn.Linear(hidden, 1))

    def forward(self, code, xy):
        return self.net(torch.cat([code.unsqueeze(1).expand(-1, xy.size(1), -1), xy], -1)).squeeze(-1)


def main():
    table, decoder = LatentTable(6, 4), Decoder(4).to(device)
    optimizer = torch.optim.Adam(
        [{"params": decoder.parameters(), "lr": 1e-3}, {"params": table.parameters(), "lr": 1e-2}]
    )
    for idx in torch.arange(6).split(3):
        xy = torch.rand(3, 10, 2, device=device)
        sdf = xy.norm(dim=-1) - 0.5
        loss = nn.functional.l1_loss(decoder(table(idx.to(device)), xy), sdf)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item())


if __name__ == "__main__":
    main()
