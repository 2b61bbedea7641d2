import torch


def flat(ts):
    return torch.cat([t.reshape(-1) for t in ts])


def cg(matvec, b, iters, tol=1e-8):
    x, r = torch.zeros_like(b), b.clone()
    p, rr = r.clone(), r @ r
    for _ in range(iters):
        ap = matvec(p)
        alpha = rr / (p @ ap).clamp(min=1e-12)
        x += alpha * p
        r -= alpha * ap
        new = r @ r
        if new < tol:
            break
        p = r + new / rr * p
        rr = new
    return x
