import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, obs=4, acts=3):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(obs, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, acts), nn.Linear(32, 1)

    def forward(self, obs):
        h = self.shared(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


@torch.no_grad()
def rollout(model, device, steps=32):
    obs, acts, logps, vals, rews = [], [], [], [], []
    o = torch.randn(4, device=device)
    for _ in range(steps):
        dist, v = model(o.unsqueeze(0))
        a = dist.sample()
        obs.append(o)
        acts.append(a[0])
        logps.append(dist.log_prob(a)[0])
        vals.append(v[0])
        rews.append(torch.tanh(o[0] * (a[0] - 1)))
        o = torch.randn(4, device=device)
    obs, acts, logps, vals, rews = map(torch.stack, (obs, acts, logps, vals, rews))
    adv = torch.zeros_like(rews)
    last = torch.zeros((), device=device)
    for t in reversed(range(steps)):
        nxt = vals[t + 1] if t + 1 < steps else 0.0
        last = rews[t] + 0.99 * nxt - vals[t] + 0.95 * 0.99 * last
        adv[t] = last
    return obs, acts, logps, adv, adv + vals


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = ActorCritic().to(device)
opt = torch.optim.Adam(model.parameters(), lr=3e-4)
for it in range(2):
    obs, acts, old, adv, ret = rollout(model, device)
    adv = (adv - adv.mean()) / (adv.std() + 1e-8)
    for epoch in range(3):
        for idx in torch.randperm(len(obs)).split(16):
            dist, v = model(obs[idx])
            ratio = (dist.log_prob(acts[idx]) - old[idx]).exp()
            clipped = ratio.clamp(0.8, 1.2)
            pg = -torch.min(ratio * adv[idx], clipped * adv[idx]).mean()
            loss = pg + 0.5 * (v - ret[idx]).pow(2).mean() - 0.01 * dist.entropy().mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
