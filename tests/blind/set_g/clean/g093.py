import numpy as np
import torch
import torch.nn as nn


class ReplayBuffer:
    def __init__(self, size, obs_dim, act_dim):
        self.obs = np.zeros((size, obs_dim), dtype=np.float32)
        self.act = np.zeros((size, act_dim), dtype=np.float32)
        self.rew = np.zeros(size, dtype=np.float32)
        self.ptr, self.size, self.max_size = 0, 0, size

    def store(self, obs, act, rew):
        self.obs[self.ptr], self.act[self.ptr], self.rew[self.ptr] = obs, act, rew
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample(self, n, device):
        idx = np.random.randint(0, self.size, size=n)
        batch = {"obs": self.obs[idx], "act": self.act[idx], "rew": self.rew[idx]}
        return {k: torch.from_numpy(v).to(device) for k, v in batch.items()}


class Actor(nn.Module):
    def __init__(self, obs, act):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(obs, 16), nn.ReLU(), nn.Linear(16, act), nn.Tanh())

    def forward(self, obs):
        return self.net(obs)

    @property
    def device(self):
        return next(self.parameters()).device

    @torch.no_grad()
    def act(self, obs, noise=0.1):
        a = self(torch.from_numpy(obs).to(self.device)).cpu().numpy()
        return np.clip(a + noise * np.random.randn(*a.shape), -1, 1).astype(np.float32)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    actor, buffer = Actor(3, 1).to(device), ReplayBuffer(50, 3, 1)
    opt = torch.optim.Adam(actor.parameters(), lr=1e-3)
    obs = np.zeros(3, dtype=np.float32)
    losses = []
    for t in range(20):
        act = actor.act(obs)
        buffer.store(obs, act, -float(np.abs(act).sum()))
        obs = (0.9 * obs + 0.1 * np.random.randn(3) + 0.1 * act).astype(np.float32)
        if t >= 8:
            b = buffer.sample(8, actor.device)
            weight = (b["rew"] - b["rew"].mean()).exp()
            loss = (weight * (actor(b["obs"]) - b["act"]).pow(2).sum(1)).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            losses.append(loss.item())
    print("mean loss", np.mean(losses))


if __name__ == "__main__":
    main()
