import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Categorical

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class SharedNet(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.trunk = nn.Sequential(nn.Linear(obs, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU())
        self.actor = nn.Linear(32, act)
        self.critic = nn.Linear(32, 1)

    def forward(self, x):
        z = self.trunk(x)
        return Categorical(logits=self.actor(z)), self.critic(z).squeeze(-1)


def gae(rewards, values, last, gamma=0.99, lam=0.95):
    adv, out = 0.0, []
    for r, v in zip(reversed(rewards), reversed(values)):
        delta = r + gamma * last - v
        adv = delta + gamma * lam * adv
        out.insert(0, adv)
        last = v
    return torch.stack(out)


class A2C:
    def __init__(self, obs=4, act=3):
        self.net = SharedNet(obs, act).to(device)
        self.opt = torch.optim.RMSprop(self.net.parameters(), lr=7e-4)

    def losses(self, obs, actions, adv, returns):
        dist, values = self.net(obs)
        pg = -(dist.log_prob(actions) * adv).mean() - 0.01 * dist.entropy().mean()
        vf = F.mse_loss(values, returns)
        return pg, vf

    def update(self, obs, actions, rewards):
        with torch.no_grad():
            _, v = self.net(obs)
            adv = gae(list(rewards), list(v), v.new_zeros(()))
        pg, vf = self.losses(obs, actions, adv, adv + v)
        self.opt.zero_grad()
        pg.backward()
        vf.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
        self.opt.step()
        return pg.item(), vf.item()


agent = A2C()
for _ in range(3):
    obs = torch.randn(20, 4, device=device)
    with torch.no_grad():
        actions = agent.net(obs)[0].sample()
    rewards = (actions == obs[:, :3].argmax(1)).float()
    print(agent.update(obs, actions, rewards))
