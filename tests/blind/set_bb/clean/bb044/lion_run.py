import torch
import torch.nn as nn
from lion import Lion, Lookahead


def param_groups(model, wd):
    decay, plain = [], []
    for p in model.parameters():
        (decay if p.ndim > 1 else plain).append(p)
    return [{"params": decay, "weight_decay": wd}, {"params": plain}]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(5, 24), nn.SiLU(), nn.Linear(24, 1)).to(device)
opt = Lookahead(Lion(param_groups(model, 0.1), lr=3e-3))
coef = torch.randn(5, 1, device=device)
for i in range(9):
    x = torch.randn(32, 5, device=device)
    loss = nn.functional.mse_loss(model(x), x @ coef)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if i % 4 == 0:
        print(i, loss.item())
