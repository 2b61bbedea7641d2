import torch
from torch import nn
from torch.distributions import Categorical

from buffer import PPOBuffer


class ActorCritic(nn.Module):
    def __init__(self, obs=3, act=2):
        super().__init__()
        self.pi = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, act))
        self.v = nn.Sequential(nn.Linear(obs, 16), nn.Tanh(), nn.Linear(16, 1))

    def forward(self, obs):
        return Categorical(logits=self.pi(obs)), self.v(obs).squeeze(-1)

    @torch.no_grad()
    def act(self, obs):
        dist, value = self(obs)
        action = dist.sample()
        return action.item(), dist.log_prob(action).item(), value.item()


def update(model, optimizer, buffer, device, clip=0.2, epochs=2):
    for _ in range(epochs):
        for obs, act, old_logp, ret, adv in buffer.sample(8, device):
            dist, value = model(obs)
            ratio = (dist.log_prob(act) - old_logp).exp()
            pg = -torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv).mean()
            loss = pg + 0.5 * nn.functional.mse_loss(value, ret) - 0.01 * dist.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return loss.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ActorCritic().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-4)
    buffer = PPOBuffer()
    for it in range(2):
        obs = torch.zeros(3)
        for _ in range(16):
            action, logp, value = model.act(obs.to(device))
            buffer.add(obs, action, logp, float(action == 1), value)
            obs = 0.9 * obs + 0.1 * torch.randn(3)
        buffer.finish()
        print(it, update(model, optimizer, buffer, device))
        buffer.clear()


if __name__ == "__main__":
    main()
