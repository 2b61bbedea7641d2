import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
g, d = nn.Linear(2, 3).to(device), nn.Linear(3, 1).to(device)
og, od = torch.optim.Adam(g.parameters()), torch.optim.Adam(d.parameters())
for _ in range(2):
    fake = g(torch.randn(4, 2, device=device))
    od.zero_grad()
    (d(fake.detach()).mean() - d(torch.ones(4, 3, device=device)).mean()).backward()
    od.step()
    og.zero_grad()
    (-d(fake).mean()).backward()
    og.step()
