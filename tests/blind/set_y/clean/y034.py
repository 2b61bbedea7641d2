import torch
from torch import nn
from torch.distributions import Categorical


class Policy(nn.Module):
    def __init__(self, obs_dim=3, actions=2):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs_dim, 24), nn.Tanh(), nn.Linear(24, actions))
        self.v = nn.Sequential(nn.Linear(obs_dim, 24), nn.Tanh(), nn.Linear(24, 1))

    def value(self, obs):
        return self.v(obs).squeeze(-1)

    def evaluate(self, obs, action=None):
        dist = Categorical(logits=self.pi(obs))
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action), dist.entropy(), self.value(obs)


@torch.no_grad()
def collect(policy, steps, device):
    obs = torch.randn(8, 3, device=device)
    store = {k: [] for k in ("obs", "act", "logp", "val", "rew")}
    for _ in range(steps):
        act, logp, _, val = policy.evaluate(obs)
        rew = -(obs[:, 0] + act.float() - 0.5).abs()
        for k, v in zip(store, (obs, act, logp, val, rew)):
            store[k].append(v)
        obs = 0.9 * obs + 0.1 * torch.randn_like(obs)
    data = {k: torch.stack(v) for k, v in store.items()}
    adv, last = torch.zeros_like(data["rew"]), 0.0
    next_val = policy.value(obs)
    for t in reversed(range(steps)):
        delta = data["rew"][t] + 0.99 * next_val - data["val"][t]
        last = delta + 0.99 * 0.95 * last
        adv[t] = last
        next_val = data["val"][t]
    data["adv"], data["ret"] = adv, adv + data["val"]
    return {k: v.flatten(0, 1) for k, v in data.items()}


def update(policy, opt, data, epochs=2, clip=0.2):
    n = data["obs"].size(0)
    for _ in range(epochs):
        for idx in torch.randperm(n).split(32):
            mb = {k: v[idx] for k, v in data.items()}
            _, logp, ent, val = policy.evaluate(mb["obs"], mb["act"])
            ratio = (logp - mb["logp"]).exp()
            adv = (mb["adv"] - mb["adv"].mean()) / (mb["adv"].std() + 1e-8)
            pg = -torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv).mean()
            loss = pg + 0.5 * (val - mb["ret"]).pow(2).mean() - 0.01 * ent.mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            opt.step()
    return loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = Policy().to(device)
opt = torch.optim.Adam(policy.parameters(), lr=3e-4, eps=1e-5)
for it in range(2):
    print(it, update(policy, opt, collect(policy, 8, device)))
