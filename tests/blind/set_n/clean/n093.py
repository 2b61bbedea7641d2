import torch
import torch.nn.functional as F
from torch import nn


def dot(a, b):
    return sum((x * y).sum() for x, y in zip(a, b))


def hvp(grads, params, v):
    return torch.autograd.grad(dot(grads, v), params, retain_graph=True)


def top_eigenvalue(model, x, y, iters=6):
    params = [p for p in model.parameters() if p.requires_grad]
    loss = F.cross_entropy(model(x), y)
    grads = torch.autograd.grad(loss, params, create_graph=True)
    v = [torch.randn_like(p) for p in params]
    value = None
    for _ in range(iters):
        norm = dot(v, v).sqrt()
        v = [u / norm for u in v]
        hv = hvp(grads, params, v)
        value = dot(hv, v).item()
        v = list(hv)
    return value


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(nn.Linear(4, 10), nn.Tanh(), nn.Linear(10, 3)).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.2)
x, y = torch.randn(30, 4, device=device), torch.randint(0, 3, (30,), device=device)
sharpness = []
for step in range(6):
    opt.zero_grad()
    F.cross_entropy(model(x), y).backward()
    opt.step()
    if step % 3 == 0:
        sharpness.append(top_eigenvalue(model, x, y))
print(sharpness)
