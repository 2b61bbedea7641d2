import torch


class RingBuffer:
    def __init__(self, capacity, obs, device):
        self.capacity, self.device = capacity, device
        self.store = {
            "obs": torch.zeros(capacity, obs),
            "next_obs": torch.zeros(capacity, obs),
            "action": torch.zeros(capacity, dtype=torch.long),
            "reward": torch.zeros(capacity),
            "done": torch.zeros(capacity),
        }
        self.pos = self.size = 0

    def add(self, **row):
        for k, v in row.items():
            self.store[k][self.pos] = v
        self.pos = (self.pos + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample(self, n):
        idx = torch.randint(0, self.size, (n,))
        return {k: v[idx].to(self.device) for k, v in self.store.items()}
