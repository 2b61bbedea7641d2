"""Rollout storage that lives on the accelerator and is filled from the host."""
import torch


class RolloutStorage:
    def __init__(self, steps, envs, obs_dim, device):
        self.obs = torch.zeros(steps + 1, envs, obs_dim, device=device)
        self.rewards = torch.zeros(steps, envs, device=device)
        self.values = torch.zeros(steps + 1, envs, device=device)
        self.masks = torch.ones(steps + 1, envs, device=device)
        self.returns = torch.zeros(steps + 1, envs, device=device)
        self.step, self.steps = 0, steps

    def insert(self, obs, rewards, values, masks):
        self.obs[self.step + 1].copy_(obs)
        self.rewards[self.step] = rewards
        self.values[self.step].copy_(values)
        self.masks[self.step + 1] = masks
        self.step = (self.step + 1) % self.steps

    def after_update(self):
        self.obs[0].copy_(self.obs[-1])
        self.masks[0].copy_(self.masks[-1])

    def compute_returns(self, next_value, gamma=0.99, lam=0.95):
        self.values[-1] = next_value
        gae = 0
        for t in reversed(range(self.steps)):
            delta = self.rewards[t] + gamma * self.values[t + 1] * self.masks[t + 1] - self.values[t]
            gae = delta + gamma * lam * self.masks[t + 1] * gae
            self.returns[t] = gae + self.values[t]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    critic = torch.nn.Linear(3, 1).to(device)
    store = RolloutStorage(4, 2, 3, device)
    for _ in range(4):
        obs = torch.randn(2, 3)
        with torch.no_grad():
            value = critic(obs.to(device)).squeeze(-1)
        store.insert(obs, torch.rand(2), value, torch.ones(2))
    store.compute_returns(torch.zeros(2))
    store.after_update()
    loss = (critic(store.obs[:-1]).squeeze(-1) - store.returns[:-1]).pow(2).mean()
    loss.backward()
    print(loss.item())


if __name__ == "__main__":
    main()
