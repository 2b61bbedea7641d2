import torch


def grad(u, v):
    return torch.autograd.grad(u, v, torch.ones_like(u), create_graph=True)[0]


def heat(field, pts, nu=0.1):
    x = pts[:, :1].clone().requires_grad_()
    t = pts[:, 1:].clone().requires_grad_()
    u = field(x, t)
    return (grad(u, t) - nu * grad(grad(u, x), x)).pow(2).mean()


def initial(field, x):
    return (field(x, torch.zeros_like(x)) - torch.sin(torch.pi * x)).pow(2).mean()


def boundary(field, t):
    return (field(torch.zeros_like(t), t).pow(2) + field(torch.ones_like(t), t).pow(2)).mean()
