import torch
from torch import nn
from optim import configure


class Mixer(nn.Module):
    def __init__(self, tokens=6, dim=8):
        super().__init__()
        self.token = nn.Sequential(nn.Linear(tokens, 12), nn.GELU(), nn.Linear(12, tokens))
        self.channel = nn.Sequential(nn.Linear(dim, 16), nn.GELU(), nn.Linear(16, dim))
        self.head = nn.Linear(dim, 2)

    def forward(self, x):
        x = x + self.token(x.mT).mT
        x = x + self.channel(x)
        return self.head(x.mean(1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Mixer().to(device)
    params = (p for n, p in model.named_parameters() if not n.startswith("frozen"))
    opt = configure(params, lr=3e-3)
    for _ in range(3):
        x = torch.randn(4, 6, 8, device=device)
        y = torch.randint(0, 2, (4,), device=device)
        opt.zero_grad()
        nn.functional.cross_entropy(model(x), y).backward()
        opt.step()


main()
