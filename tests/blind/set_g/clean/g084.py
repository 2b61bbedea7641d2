import torch
import torch.nn as nn
from torch.distributions import Normal


class ActorCritic(nn.Module):
    def __init__(self, obs=3, act=1):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 24), nn.Tanh())
        self.mu, self.value = nn.Linear(24, act), nn.Linear(24, 1)
        self.log_std = nn.Parameter(torch.zeros(act))

    def forward(self, obs):
        h = self.body(obs)
        return Normal(self.mu(h), self.log_std.exp()), self.value(h).squeeze(-1)


@torch.no_grad()
def collect(model, n, device):
    obs = torch.randn(n, 3, device=device)
    dist, value = model(obs)
    action = dist.sample()
    reward = -(action.squeeze(-1) - obs[:, 0]).pow(2)
    return {"obs": obs, "action": action, "logp": dist.log_prob(action).sum(-1), "adv": reward - value, "ret": reward}


def ppo_loss(model, b, clip=0.2, vf=0.5, ent=0.01):
    dist, value = model(b["obs"])
    ratio = (dist.log_prob(b["action"]).sum(-1) - b["logp"]).exp()
    adv = (b["adv"] - b["adv"].mean()) / (b["adv"].std() + 1e-8)
    policy = -torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv).mean()
    return policy + vf * (value - b["ret"]).pow(2).mean() - ent * dist.entropy().mean()


def main(iterations=2, epochs=2, minibatch=16):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ActorCritic().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for it in range(iterations):
        rollout = collect(model, 64, device)
        for _ in range(epochs):
            for idx in torch.randperm(64, device=device).split(minibatch):
                loss = ppo_loss(model, {k: v[idx] for k, v in rollout.items()})
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 0.5)
                opt.step()
        print(it, rollout["ret"].mean().item(), loss.item())


if __name__ == "__main__":
    main()
