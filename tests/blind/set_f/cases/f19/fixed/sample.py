import torch
from torch import nn

from ddpm import DDPM


class Eps(nn.Module):
    def __init__(self, d, T):
        super().__init__()
        self.t = nn.Embedding(T, 16)
        self.inp = nn.Linear(d, 16)
        self.out = nn.Linear(16, d)

    def forward(self, x, t):
        return self.out(torch.relu(self.inp(x) + self.t(t)))


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = DDPM(Eps(4, 50)).to(device)
    optim = torch.optim.Adam(model.parameters(), 1e-3)
    for _ in range(3):
        x = torch.randn(8, 4, device=device)
        optim.zero_grad()
        loss = model(x)
        loss.backward()
        optim.step()
    print(f"loss {loss.item():.3f}")
