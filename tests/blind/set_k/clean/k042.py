"""Curvature of a trained network: Hutchinson's estimate of the Hessian trace."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def make_model(device):
    net = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3))
    return net.to(device)


def train(model, x, y, steps=30):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def rademacher_like(tensors):
    return [torch.randint_like(t, 2) * 2 - 1 for t in tensors]


def hessian_trace(model, x, y, probes=8):
    params = [p for p in model.parameters() if p.requires_grad]
    loss = F.cross_entropy(model(x), y)
    grads = torch.autograd.grad(loss, params, create_graph=True)
    estimates = []
    for i in range(probes):
        vs = rademacher_like(params)
        hv = torch.autograd.grad(grads, params, grad_outputs=vs, retain_graph=i + 1 < probes)
        estimates.append(sum((h * v).sum() for h, v in zip(hv, vs)).item())
    return sum(estimates) / probes


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(64, 6, device=device)
    y = x[:, :3].argmax(1)
    model = make_model(device)
    before = hessian_trace(model, x, y)
    loss = train(model, x, y)
    print(f"loss {loss:.3f} trace {before:.3f} -> {hessian_trace(model, x, y):.3f}")
    assert all(torch.isfinite(p).all() for p in model.parameters())


if __name__ == "__main__":
    main()
