import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call, grad, jacrev, vmap, hessian

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def build():
    torch.manual_seed(4)
    return nn.Sequential(nn.Linear(5, 8), nn.Tanh(), nn.Linear(8, 2)).to(device)


def per_sample_grads(model, x, y):
    params = {k: v.detach() for k, v in model.named_parameters()}

    def loss(p, xi, yi):
        out = functional_call(model, p, (xi.unsqueeze(0),))
        return F.cross_entropy(out, yi.unsqueeze(0))

    return vmap(grad(loss), in_dims=(None, 0, 0))(params, x, y)


def dp_sgd_step(model, x, y, lr=0.1, clip=1.0, sigma=0.3):
    g = per_sample_grads(model, x, y)
    flat = torch.cat([v.flatten(1) for v in g.values()], 1)
    factor = (clip / (flat.norm(dim=1) + 1e-6)).clamp(max=1.0)
    with torch.no_grad():
        for name, p in model.named_parameters():
            summed = torch.einsum("n,n...->...", factor, g[name])
            p -= lr * (summed + sigma * clip * torch.randn_like(p)) / len(x)


def jacobian_norm(model, x):
    params = dict(model.named_parameters())
    f = lambda xi: functional_call(model, params, (xi,))
    return vmap(jacrev(f))(x).pow(2).sum((1, 2))


def main():
    model = build()
    x = torch.randn(32, 5, device=device)
    y = (x[:, 0] > 0).long()
    for _ in range(10):
        dp_sgd_step(model, x, y)
    opt = torch.optim.SGD(model.parameters(), lr=0.05)
    for _ in range(3):
        loss = F.cross_entropy(model(x), y) + 1e-2 * jacobian_norm(model, x).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    w = torch.zeros(5, device=device)
    H = hessian(lambda w: F.softplus(-(2 * y.float() - 1) * (x @ w)).mean())(w)
    print(loss.item(), torch.linalg.eigvalsh(H.cpu()).tolist())


if __name__ == "__main__":
    main()
