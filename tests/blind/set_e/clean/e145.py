import torch
from torch import nn
from torch.nn.utils import parameters_to_vector, vector_to_parameters


class TRPOish:
    def __init__(self, obs=3, act=2, delta=0.01):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.pi = nn.Sequential(nn.Linear(obs, 8), nn.Tanh(), nn.Linear(8, act)).to(self.device)
        self.delta = delta

    def surrogate(self, obs, act, adv, old_logp):
        logp = self.pi(obs).log_softmax(-1).gather(1, act[:, None]).squeeze(1)
        return ((logp - old_logp).exp() * adv).mean()

    def kl(self, obs, old_logits):
        new = self.pi(obs).log_softmax(-1)
        old = old_logits.log_softmax(-1)
        return (old.exp() * (old - new)).sum(-1).mean()

    def fisher(self, obs, old_logits, v):
        params = list(self.pi.parameters())
        g = torch.autograd.grad(self.kl(obs, old_logits), params, create_graph=True)
        dot = torch.cat([t.reshape(-1) for t in g]) @ v
        h = torch.autograd.grad(dot, params)
        return torch.cat([t.reshape(-1) for t in h]).detach() + 0.1 * v

    def cg(self, avp, b, iters=4):
        x, r = torch.zeros_like(b), b.clone()
        p, rr = r.clone(), r @ r
        for _ in range(iters):
            ap = avp(p)
            a = rr / (p @ ap + 1e-8)
            x += a * p
            r -= a * ap
            new = r @ r
            p = r + new / (rr + 1e-12) * p
            rr = new
        return x

    def update(self, obs, act, adv):
        obs, act, adv = obs.to(self.device), act.to(self.device), adv.to(self.device)
        with torch.no_grad():
            old_logits = self.pi(obs)
            old_logp = old_logits.log_softmax(-1).gather(1, act[:, None]).squeeze(1)
        before = self.surrogate(obs, act, adv, old_logp)
        g = torch.autograd.grad(before, list(self.pi.parameters()))
        g = torch.cat([t.reshape(-1) for t in g]).detach()
        direction = self.cg(lambda v: self.fisher(obs, old_logits, v), g)
        scale = (2 * self.delta / (direction @ self.fisher(obs, old_logits, direction) + 1e-8)).abs().sqrt()
        start = parameters_to_vector(self.pi.parameters()).detach()
        for frac in (1.0, 0.5, 0.25):
            vector_to_parameters(start + frac * scale * direction, self.pi.parameters())
            with torch.no_grad():
                if self.surrogate(obs, act, adv, old_logp) > before and self.kl(obs, old_logits) < 1.5 * self.delta:
                    return frac
        vector_to_parameters(start, self.pi.parameters())
        return 0.0


if __name__ == "__main__":
    agent = TRPOish()
    for _ in range(2):
        print(agent.update(torch.randn(16, 3), torch.randint(0, 2, (16,)), torch.randn(16)))
