import copy

import torch
import torch.nn as nn


class KeepBest:
    def __init__(self, patience=2):
        self.patience, self.best, self.state, self.bad = patience, float("inf"), None, 0

    def update(self, value, model):
        if value < self.best:
            self.best, self.bad = value, 0
            self.state = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
        else:
            self.bad += 1
        return self.bad < self.patience


def export(model, example):
    host = copy.deepcopy(model).cpu().eval()
    with torch.no_grad():
        return host, host(example.cpu())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 1)).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
keeper = KeepBest()
xv = torch.randn(20, 6, device=device)
yv = xv[:, :1] * xv[:, 1:2]
for epoch in range(6):
    model.train()
    x = torch.randn(32, 6, device=device)
    loss = nn.functional.mse_loss(model(x), x[:, :1] * x[:, 1:2])
    opt.zero_grad()
    loss.backward()
    opt.step()
    model.eval()
    with torch.no_grad():
        val = nn.functional.mse_loss(model(xv), yv).item()
    host, sample = export(model, xv[:2])
    if not keeper.update(val, model):
        break
model.load_state_dict(keeper.state)
print(keeper.best, sample.squeeze(1).tolist())
