import torch
import torch.nn as nn
import torch.nn.functional as F

from tables import Schedule


class DDPM(nn.Module):
    def __init__(self, T=40):
        super().__init__()
        self.schedule = Schedule(T)
        self.time = nn.Embedding(T, 16)
        self.net = nn.Sequential(nn.Linear(2 + 16, 32), nn.SiLU(), nn.Linear(32, 2))

    def forward(self, x):
        t = torch.randint(self.schedule.T, (len(x),), device=x.device)
        eps = torch.randn_like(x)
        xt = self.schedule.noisy(x, t, eps)
        return F.mse_loss(self.net(torch.cat([xt, self.time(t)], 1)), eps)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = DDPM().to(device)
opt = torch.optim.Adam(model.parameters(), 1e-3)
for _ in range(3):
    loss = model(torch.randn(16, 2, device=device))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item(), len(model.state_dict()))
