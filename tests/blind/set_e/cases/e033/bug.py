import torch
from torch import nn


class Hyper(nn.Module):
    def __init__(self, d=4, h=8):
        super().__init__()
        self.gen = nn.Linear(d, h * d + h)
        self.d, self.h = d, h

    def forward(self, x, z):
        w, b = self.gen(z).split([self.h * self.d, self.h], dim=-1)
        return torch.einsum("bhd,bd->bh", w.view(-1, self.h, self.d), x) + b


def seed_everything(seed):
    torch.manual_seed(seed)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(seed)


def free_memory():
    if torch.cuda.device_counts() > 0:
        torch.cuda.empty_cache()


def main():
    seed_everything(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Hyper().to(device)
    optimizer = torch.optim.Adam(net.parameters())
    for _ in range(2):
        x, z = torch.randn(5, 4, device=device), torch.randn(5, 4, device=device)
        loss = (net(x, z).sum(-1) - (x * z).sum(-1)).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    free_memory()
    print(loss.item())


if __name__ == "__main__":
    main()
