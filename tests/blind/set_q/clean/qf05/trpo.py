import torch
from torch.distributions import kl_divergence
from torch.nn.utils import parameters_to_vector, vector_to_parameters


def flat_grad(y, params, **kw):
    return torch.cat([g.reshape(-1) for g in torch.autograd.grad(y, params, **kw)])


def natural_step(policy, s, a, adv, max_kl=0.01, cg_iters=8, damping=0.1):
    params = list(policy.parameters())
    with torch.no_grad():
        old = policy.dist(s)
        old_logp = old.log_prob(a).sum(-1)

    def surrogate():
        return ((policy.dist(s).log_prob(a).sum(-1) - old_logp).exp() * adv).mean()

    def mean_kl():
        return kl_divergence(old, policy.dist(s)).sum(-1).mean()

    g = flat_grad(surrogate(), params)
    grad_kl = flat_grad(mean_kl(), params, create_graph=True)

    def fisher(v):
        return flat_grad(grad_kl @ v, params, retain_graph=True) + damping * v

    x, r = torch.zeros_like(g), g.clone()
    p, rr = r.clone(), r @ r
    for _ in range(cg_iters):
        fp = fisher(p)
        alpha = rr / (p @ fp + 1e-10)
        x += alpha * p
        r -= alpha * fp
        new = r @ r
        p, rr = r + new / (rr + 1e-10) * p, new
    step = x * torch.sqrt(2 * max_kl / (x @ fisher(x) + 1e-10))
    with torch.no_grad():
        theta, before = parameters_to_vector(params).clone(), surrogate()
        for k in range(6):
            vector_to_parameters(theta + 0.5 ** k * step, params)
            kl = mean_kl()
            if kl <= 1.5 * max_kl and surrogate() > before:
                return kl.item()
        vector_to_parameters(theta, params)
    return 0.0
