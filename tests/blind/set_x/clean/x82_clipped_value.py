"""PPO epochs over one rollout: behaviour quantities are constants, the rest is recomputed."""
from typing import NamedTuple

import torch
from torch import nn
from torch.distributions import Categorical


class Rollout(NamedTuple):
    obs: torch.Tensor
    action: torch.Tensor
    logp: torch.Tensor
    value: torch.Tensor
    ret: torch.Tensor

    def pick(self, idx):
        return Rollout(*(t[idx] for t in self))


class Net(nn.Module):
    def __init__(self, obs=4, actions=3):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(obs, 24), nn.Tanh())
        self.actor, self.critic = nn.Linear(24, actions), nn.Linear(24, 1)

    def forward(self, x):
        h = self.shared(x)
        return Categorical(logits=self.actor(h)), self.critic(h).squeeze(-1)


class PPO:
    def __init__(self, device, clip=0.2, epochs=3):
        self.net = Net().to(device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=3e-4, eps=1e-5)
        self.clip, self.epochs, self.device = clip, epochs, device

    @torch.no_grad()
    def rollout(self, n):
        obs = torch.randn(n, 4, device=self.device)
        dist, value = self.net(obs)
        action = dist.sample()
        reward = (action == obs[:, :3].argmax(-1)).float()
        return Rollout(obs, action, dist.log_prob(action), value, reward)

    def losses(self, b: Rollout):
        dist, value = self.net(b.obs)
        adv = b.ret - b.value
        adv = (adv - adv.mean()) / (adv.std() + 1e-8)
        ratio = (dist.log_prob(b.action) - b.logp).exp()
        policy = -torch.min(ratio * adv, ratio.clamp(1 - self.clip, 1 + self.clip) * adv).mean()
        clipped = b.value + (value - b.value).clamp(-self.clip, self.clip)
        critic = torch.max((value - b.ret).pow(2), (clipped - b.ret).pow(2)).mean()
        return policy, critic, dist.entropy().mean(), ((ratio - 1) - ratio.log()).mean().detach()

    def update(self, data: Rollout, size=16, target_kl=0.5):
        kl = torch.zeros((), device=self.device)
        for _ in range(self.epochs):
            for idx in torch.randperm(data.obs.size(0), device=self.device).split(size):
                policy, critic, entropy, kl = self.losses(data.pick(idx))
                self.opt.zero_grad()
                (policy + 0.5 * critic - 0.01 * entropy).backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.opt.step()
            if kl.item() > target_kl:
                break
        return kl.item()


if __name__ == "__main__":
    ppo = PPO(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for _ in range(2):
        print(ppo.update(ppo.rollout(64)))
