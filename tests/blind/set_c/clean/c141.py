"""Gaussian mixture by EM, a k-means start, and a gradient-based refinement."""
import math

import torch


def kmeans(x, k, iters=4):
    centers = x[torch.randperm(len(x), device=x.device)[:k]].clone()
    for _ in range(iters):
        assign = torch.cdist(x, centers).argmin(1)
        for j in range(k):
            members = x[assign == j]
            if len(members):
                centers[j] = members.mean(0)
    return centers, assign


def em(x, k, iters=4):
    mu, assign = kmeans(x, k)
    var = torch.ones(k, device=x.device)
    pi = torch.bincount(assign, minlength=k).float() / len(x)
    for _ in range(iters):
        logp = pi.clamp(min=1e-6).log() - 0.5 * (torch.cdist(x, mu).pow(2) / var + x.size(1) * var.log())
        r = logp.softmax(1)
        n = r.sum(0).clamp(min=1e-6)
        mu = (r.t() @ x) / n[:, None]
        var = ((r * torch.cdist(x, mu).pow(2)).sum(0) / (n * x.size(1))).clamp(min=1e-3)
        pi = n / len(x)
    return mu, var, pi


def refine(x, mu, var, pi, steps=3, lr=0.01):
    mu = mu.clone().requires_grad_()
    log_var = var.log().requires_grad_()
    logits = pi.log().requires_grad_()
    optimizer = torch.optim.Adam([mu, log_var, logits], lr=lr)
    for _ in range(steps):
        logp = logits.log_softmax(0) - 0.5 * (
            torch.cdist(x, mu).pow(2) / log_var.exp() + x.size(1) * (log_var + math.log(2 * math.pi))
        )
        nll = -logp.logsumexp(1).mean()
        optimizer.zero_grad()
        nll.backward()
        optimizer.step()
    return mu.detach(), nll.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.cat([torch.randn(30, 2) - 3, torch.randn(30, 2) + 3]).to(device)
    mu, nll = refine(x, *em(x, 2))
    print(mu.cpu().numpy(), nll)
