import torch
from torch import nn
from torch.distributions import Categorical


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, n_actions, width=32):
        super().__init__()
        self.base = nn.Sequential(nn.Linear(obs_dim, width), nn.Tanh())
        self.pi = nn.Linear(width, n_actions)
        self.v = nn.Linear(width, 1)

    def forward(self, obs):
        h = self.base(obs) 
        return Categorical(logits=self.pi(h)), self.v(h).squeeze(-1)


class Agent:
    def __init__(self, obs_dim, n_actions, device):
        self.device = device
        self.net = ActorCritic(obs_dim, n_actions).to(device)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=3e-3)

    def act(self, obs):
        state = torch.as_tensor(obs, dtype=torch.float32, device=self.device).unsqueeze(0)
        dist, value = self.net(state)
        action = dist.sample()
        return action.item(), dist.log_prob(action), value

    def learn(self, log_probs, values, returns):
        returns = torch.tensor(returns, device=self.device)
        values = torch.cat(values)
        adv = (returns - values).detach()
        loss = -(torch.cat(log_probs) * adv).mean() + 0.5 * (returns - values).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()
