import torch
import torch.nn as nn
from torch.distributions import Normal


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs_dim, 32), nn.Tanh())
        self.mean = nn.Linear(32, act_dim)
        self.value = nn.Linear(32, 1)
        self.log_std = nn.Parameter(torch.zeros(act_dim))

    def forward(self, obs):
        h = self.body(obs)
        return Normal(self.mean(h), self.log_std.exp()), self.value(h).squeeze(-1)

    @torch.no_grad()
    def act(self, obs):
        dist, value = self(obs)
        action = dist.sample()
        return action, dist.log_prob(action).sum(-1), value

    def evaluate_actions(self, obs, action):
        dist, value = self(obs)
        return dist.log_prob(action).sum(-1), dist.entropy().sum(-1), value


def rollout(model, steps, device):
    obs = torch.randn(steps, 4, device=device)
    action, log_prob, value = model.act(obs)
    reward = -(action.squeeze(-1) - obs.sum(-1)).abs()
    return {"obs": obs, "action": action, "old_log_prob": log_prob, "adv": reward - value, "ret": reward}


def ppo_update(model, optimizer, buffer, clip=0.2, epochs=3):
    for _ in range(epochs):
        log_prob, entropy, value = model.evaluate_actions(buffer["obs"], buffer["action"])
        ratio = (log_prob - buffer["old_log_prob"]).exp()
        surrogate = torch.min(ratio * buffer["adv"], ratio.clamp(1 - clip, 1 + clip) * buffer["adv"])
        loss = -surrogate.mean() + 0.5 * (value - buffer["ret"]).pow(2).mean() - 0.01 * entropy.mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ActorCritic(4, 1).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for it in range(5):
        print(it, ppo_update(model, optimizer, rollout(model, 64, device)))
