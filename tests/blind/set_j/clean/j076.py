import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Policy(nn.Module):
    def __init__(self, obs=4, act=2):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs, 32), nn.Tanh(), nn.Linear(32, act))
        self.v = nn.Sequential(nn.Linear(obs, 32), nn.Tanh(), nn.Linear(32, 1))

    def dist(self, s):
        return Categorical(logits=self.pi(s))

    @torch.no_grad()
    def act(self, s):
        d = self.dist(s)
        a = d.sample()
        return a, d.log_prob(a), self.v(s).squeeze(-1)


def collect(policy, n):
    s = torch.randn(n, 4, device=device)
    a, logp, v = policy.act(s)
    r = (a == (s[:, 0] > 0).long()).float()
    return {"s": s, "a": a, "logp": logp, "adv": r - v, "ret": r}


def ppo_update(policy, opt, batch, epochs=3, mb=16, clip=0.2, target_kl=0.5):
    n = len(batch["a"])
    adv = batch["adv"]
    batch["adv"] = (adv - adv.mean()) / (adv.std() + 1e-8)
    for _ in range(epochs):
        for idx in torch.randperm(n, device=device).split(mb):
            b = {k: v[idx] for k, v in batch.items()}
            d = policy.dist(b["s"])
            log_ratio = d.log_prob(b["a"]) - b["logp"]
            ratio = log_ratio.exp()
            with torch.no_grad():
                kl = ((ratio - 1) - log_ratio).mean()
            surrogate = torch.min(ratio * b["adv"], ratio.clamp(1 - clip, 1 + clip) * b["adv"])
            value = F.mse_loss(policy.v(b["s"]).squeeze(-1), b["ret"])
            loss = -surrogate.mean() + 0.5 * value - 0.01 * d.entropy().mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            opt.step()
        if kl.item() > target_kl:
            break
    return loss.item(), batch["ret"].mean().item()


policy = Policy().to(device)
opt = torch.optim.Adam(policy.parameters(), lr=3e-3, eps=1e-5)
for it in range(3):
    print(it, ppo_update(policy, opt, collect(policy, 64)))
