import torch
import torch.nn as nn


class RecurrentCritic(nn.Module):
    """Value head with an LSTM cell rolled over time; episodes may start inside the window."""

    def __init__(self, obs_dim, hidden=24):
        super().__init__()
        self.hidden = hidden
        self.inp = nn.Linear(obs_dim, hidden)
        self.cell = nn.LSTMCell(hidden, hidden)
        self.value = nn.Linear(hidden, 1)

    def blank(self, batch):
        return torch.zeros(batch, self.hidden), torch.zeros(batch, self.hidden)

    def forward(self, obs, dones, state=None):
        T, B = obs.shape[:2]
        if state is None:
            state = self.blank(B)
        h, c = state
        outs = []
        for t in range(T):
            keep = (1.0 - dones[t]).unsqueeze(-1)
            h, c = h * keep, c * keep
            h, c = self.cell(torch.tanh(self.inp(obs[t])), (h, c))
            outs.append(self.value(h))
        return torch.stack(outs).squeeze(-1), (h, c)


def gae(rewards, values, dones, last, gamma=0.99, lam=0.95):
    adv = torch.zeros_like(rewards)
    running = torch.zeros_like(last)
    for t in reversed(range(rewards.size(0))):
        nxt = last if t == rewards.size(0) - 1 else values[t + 1]
        alive = 1.0 - dones[t]
        delta = rewards[t] + gamma * nxt * alive - values[t]
        running = delta + gamma * lam * alive * running
        adv[t] = running
    return adv


def rollout_loss(critic, obs, rewards, dones):
    values, _ = critic(obs, dones)
    with torch.no_grad():
        target = gae(rewards, values, dones, values[-1]) + values
    return (values - target).pow(2).mean()


if __name__ == "__main__":
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    critic = RecurrentCritic(6).to(device)
    opt = torch.optim.RMSprop(critic.parameters(), lr=3e-4)
    for it in range(3):
        obs = torch.randn(5, 4, 6, device=device)
        rew = torch.rand(5, 4, device=device)
        done = (torch.rand(5, 4, device=device) < 0.1).float()
        loss = rollout_loss(critic, obs, rew, done)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item())
