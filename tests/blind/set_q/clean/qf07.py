import torch
import torch.nn as nn
import torch.nn.functional as F


class IQL:
    def __init__(self, obs, act, device, tau=0.7, beta=3.0):
        mk = lambda i, o: nn.Sequential(nn.Linear(i, 32), nn.ReLU(), nn.Linear(32, o)).to(device)
        self.q, self.q_target = mk(obs + act, 2), mk(obs + act, 2)
        self.q_target.load_state_dict(self.q.state_dict())
        self.v, self.pi = mk(obs, 1), mk(obs, act)
        self.tau, self.beta = tau, beta
        self.opts = {k: torch.optim.Adam(getattr(self, k).parameters(), lr=1e-3) for k in ("q", "v", "pi")}
        self.sched = torch.optim.lr_scheduler.CosineAnnealingLR(self.opts["pi"], 20)

    def _apply(self, name, loss):
        opt = self.opts[name]
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        return loss.detach()

    def update(self, s, a, r, s2, done):
        sa = torch.cat([s, a], -1)
        with torch.no_grad():
            target_q = self.q_target(sa).min(-1).values
            next_v = self.v(s2).squeeze(-1)
        adv = target_q - self.v(s).squeeze(-1)
        v_loss = (torch.where(adv > 0, self.tau, 1 - self.tau) * adv ** 2).mean()
        out = {"v": self._apply("v", v_loss)}
        backup = (r + 0.99 * (1 - done) * next_v).unsqueeze(-1)
        out["q"] = self._apply("q", F.mse_loss(self.q(sa), backup.expand(-1, 2)))
        weight = (self.beta * adv.detach()).exp().clamp(max=100.0)
        bc = (self.pi(s).tanh() - a).square().sum(-1)
        out["pi"] = self._apply("pi", (weight * bc).mean())
        self.sched.step()
        with torch.no_grad():
            for p, t in zip(self.q.parameters(), self.q_target.parameters()):
                t += 0.01 * (p - t)
        return out


def cql_penalty(q, s, a, n=5):
    rand = torch.rand(n, *a.shape, device=a.device) * 2 - 1
    every = q(torch.cat([s.expand(n, *s.shape), rand], -1))
    return (torch.logsumexp(every, 0) - q(torch.cat([s, a], -1))).mean()


def dataset(n):
    s = torch.randn(n, 3)
    a = torch.tanh(s[:, :2] + 0.3 * torch.randn(n, 2))
    return s, a, -s.square().sum(-1) - a.square().sum(-1), 0.9 * s, (torch.rand(n) < 0.05).float()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = [t.to(device) for t in dataset(400)]
    algo = IQL(3, 2, device)
    for it in range(15):
        idx = torch.randint(400, (64,), device=device)
        logs = algo.update(*(t[idx] for t in data))
    with torch.no_grad():
        gap = cql_penalty(algo.q, data[0][:64], data[1][:64])
    print({k: round(v.item(), 3) for k, v in logs.items()}, gap.item())


main()
