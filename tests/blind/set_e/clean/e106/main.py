import torch
from torch import nn

from actor import Actor
from vtrace import vtrace


class Policy(nn.Module):
    def __init__(self, obs=4, act=2):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, 16), nn.Tanh())
        self.pi, self.v = nn.Linear(16, act), nn.Linear(16, 1)

    def forward(self, x):
        h = self.body(x)
        return self.pi(h), self.v(h).squeeze(-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    policy = Policy().to(device)
    actor = Actor(policy)
    optimizer = torch.optim.RMSprop(policy.parameters(), lr=1e-3)
    for _ in range(2):
        states, actions, mu_logp, rewards = (t.to(device) for t in actor.unroll(5))
        logits, values = policy(states)
        dist = torch.distributions.Categorical(logits=logits)
        logp = dist.log_prob(actions)
        vs, adv = vtrace(mu_logp, logp, rewards, values, values[-1])
        loss = -(logp * adv).mean() + 0.5 * (vs - values).pow(2).mean() - 0.01 * dist.entropy().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(loss.item(), rewards.mean().item())


if __name__ == "__main__":
    main()
