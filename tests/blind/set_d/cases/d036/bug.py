import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
d = nn.Sequential(nn.Linear(2, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
g = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
opt_d = torch.optim.SGD(d.parameters(), lr=0.1)
opt_g = torch.optim.SGD(g.parameters(), lr=0.1)
for _ in range(2):
    real = torch.randn(6, 2, device=device)
    fake = g(torch.randn(6, 3, device=device))
    fake_score = d(fake)
    d_loss = (d(real) - 1).pow(2).mean() + d(fake.detach()).pow(2).mean()
    opt_d.zero_grad()
    d_loss.backward()
    opt_d.step()
    g_loss = (fake_score - 1).pow(2).mean()
    opt_g.zero_grad()
    g_loss.backward()
    opt_g.step()
