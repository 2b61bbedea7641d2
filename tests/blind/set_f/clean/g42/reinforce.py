import torch
from torch import nn
from torch.distributions import Bernoulli

from episodes import Episode


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.pi, self.v = nn.Linear(2, 1), nn.Linear(2, 1)

    def forward(self, s):
        return Bernoulli(logits=self.pi(s).squeeze(-1)), self.v(s).squeeze(-1)


def rollout(policy, episode, device, horizon=6):
    state = torch.zeros(2, device=device)
    for t in range(horizon):
        dist, value = policy(state)
        action = dist.sample()
        reward = float(action.item() == t % 2)
        episode.push(dist.log_prob(action), value, reward)
        state = torch.stack([action, torch.as_tensor(t / horizon, device=device)])


def finish(policy, episode, opt, device):
    returns = episode.returns(0.9, device)
    values = torch.stack(episode.values)
    adv = returns - values.detach()
    loss = -(torch.stack(episode.log_probs) * adv).sum() + nn.functional.smooth_l1_loss(values, returns)
    opt.zero_grad()
    loss.backward()
    opt.step()
    total = sum(episode.rewards)
    episode.clear()
    return total


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    policy = Policy().to(device)
    opt = torch.optim.Adam(policy.parameters(), lr=0.05)
    episode, running = Episode(), 0.0
    for i in range(3):
        rollout(policy, episode, device)
        running += 0.1 * (finish(policy, episode, opt, device) - running)
    print(running)
