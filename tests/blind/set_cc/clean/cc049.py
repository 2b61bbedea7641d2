"""Influence of training points on one test loss: conjugate gradients with Hessian-vector products."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
damping, cg_steps = 0.1, 6

x_train = torch.randn(40, 5, device=device)
y_train = (x_train[:, 0] > 0).long()
x_test, y_test = torch.randn(1, 5, device=device), torch.tensor([1], device=device)
model = nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 2)).to(device)

optimizer = torch.optim.LBFGS(model.parameters(), max_iter=10)


def closure():
    optimizer.zero_grad()
    loss = F.cross_entropy(model(x_train), y_train)
    loss.backward()
    return loss


for _ in range(2):
    optimizer.step(closure)

params = [p for p in model.parameters() if p.requires_grad]


def flat(grads):
    return torch.cat([g.reshape(-1) for g in grads])


def gradient(x, y, **kwargs):
    return flat(torch.autograd.grad(F.cross_entropy(model(x), y), params, **kwargs))


g_train = gradient(x_train, y_train, create_graph=True)


def hvp(v):
    return flat(torch.autograd.grad(g_train, params, grad_outputs=v, retain_graph=True)) + damping * v


b = gradient(x_test, y_test)
solution = torch.zeros_like(b)
residual = b.clone()
direction = residual.clone()
rs = residual.dot(residual)
for _ in range(cg_steps):
    h = hvp(direction)
    alpha = rs / (direction.dot(h) + 1e-12)
    solution += alpha * direction
    residual -= alpha * h
    new_rs = residual.dot(residual)
    if new_rs < 1e-10:
        break
    direction = residual + new_rs / rs * direction
    rs = new_rs

scores = [-(solution @ gradient(x_train[i:i + 1], y_train[i:i + 1])).item() for i in range(len(x_train))]
most = max(range(len(scores)), key=lambda i: abs(scores[i]))
print("most influential", most, scores[most])
