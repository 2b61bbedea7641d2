"""Two towers with a learned temperature; the module moves itself."""
import torch
from torch import nn
import torch.nn.functional as F


class Towers(nn.Module):
    def __init__(self, di, dt, d=8):
        super().__init__()
        self.image = nn.Linear(di, d)
        self.text = nn.Linear(dt, d)
        self.log_t = nn.Parameter(torch.tensor(2.6592))
        self.ceiling = torch.tensor(100.0)

    def forward(self, im, tx):
        a, b = F.normalize(self.image(im), dim=-1), F.normalize(self.text(tx), dim=-1)
        scale = torch.minimum(self.log_t.exp().cpu(), self.ceiling)
        return scale * a @ b.T


def symmetric(logits):
    y = torch.arange(len(logits), device=logits.device)
    return (F.cross_entropy(logits, y) + F.cross_entropy(logits.T, y)) / 2


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Towers(6, 5)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    model.to(device)
    eps = torch.tensor(1e-3)
    shuffle = torch.randperm(8)
    for _ in range(2):
        im, tx = torch.randn(8, 6).to(device), torch.randn(8, 5).to(device)
        loss = symmetric(model(im[shuffle], tx[shuffle])) + eps * model.image.weight.pow(2).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(loss.item())


if __name__ == "__main__":
    main()
