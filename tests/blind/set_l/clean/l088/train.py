import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

from rollout import collect


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(4, 32), nn.Tanh())
        self.pi, self.v = nn.Linear(32, 2), nn.Linear(32, 1)

    def forward(self, obs):
        h = self.trunk(obs)
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


def ppo_loss(policy, b, clip=0.2, vf=0.5, ent=0.01):
    dist, value = policy(b.obs)
    ratio = (dist.log_prob(b.act) - b.logp).exp()
    surrogate = torch.min(ratio * b.adv, ratio.clamp(1 - clip, 1 + clip) * b.adv)
    return -surrogate.mean() + vf * F.mse_loss(value, b.ret) - ent * dist.entropy().mean()


def main(iterations=3, epochs=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    policy = Policy().to(device)
    opt = torch.optim.Adam(policy.parameters(), lr=3e-3, eps=1e-5)
    for it in range(iterations):
        data = collect(policy, 64, device)
        for _ in range(epochs):
            for batch in data.minibatches(16):
                loss = ppo_loss(policy, batch)
                opt.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
                opt.step()
        print(it, data.ret.mean().item(), loss.item())


if __name__ == "__main__":
    main()
