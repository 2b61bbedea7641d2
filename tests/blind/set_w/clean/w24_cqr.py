"""Conformalised quantile regression."""
import math
import torch
from torch import nn


def pinball(pred, y, taus):
    e = y[:, None] - pred
    return torch.maximum(taus * e, (taus - 1) * e).sum(1).mean()


class MonotoneQuantiles(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(d, 24), nn.ReLU(), nn.Linear(24, k))

    def forward(self, x):
        raw = self.body(x)
        steps = torch.cat([raw[:, :1], nn.functional.softplus(raw[:, 1:])], dim=1)
        return steps.cumsum(1)


def calibrate(model, x, y, alpha):
    model.eval()
    with torch.no_grad():
        q = model(x)
        score = torch.maximum(q[:, 0] - y, y - q[:, -1])
    k = min(len(score), math.ceil((1 - alpha) * (len(score) + 1)))
    return score.kthvalue(k).values.item()


dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x = torch.randn(200, 4)
y = x[:, 0] * 2 + torch.randn(200) * (0.5 + x[:, 1].abs())
tr, ca, te = (slice(0, 120), slice(120, 160), slice(160, 200))
taus = torch.tensor([0.05, 0.5, 0.95], device=dev)
model = MonotoneQuantiles(4, 3).to(dev)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
x, y = x.to(dev), y.to(dev)
best, best_state, patience = math.inf, None, 0
for epoch in range(30):
    model.train()
    loss = pinball(model(x[tr]), y[tr], taus)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if loss.item() < best:
        best, patience = loss.item(), 0
        best_state = {k: v.clone() for k, v in model.state_dict().items()}
    else:
        patience += 1
        if patience > 3:
            break
model.load_state_dict(best_state)
margin = calibrate(model, x[ca], y[ca], 0.1)
with torch.no_grad():
    q = model(x[te])
inside = (y[te] >= q[:, 0] - margin) & (y[te] <= q[:, -1] + margin)
print("coverage", inside.float().mean().item())
