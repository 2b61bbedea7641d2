import torch
import torch.nn as nn
import torch.nn.functional as F


class View(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.f = nn.Sequential(nn.Linear(d_in, 32), nn.ReLU(), nn.Linear(32, d_out))

    def forward(self, x):
        return F.normalize(self.f(x), dim=-1)


class TwoTower:
    def __init__(self, user_dim, item_dim, dim=16):
        self.user = View(user_dim, dim)
        self.item = View(item_dim, dim)
        self.logit_scale = nn.Parameter(torch.tensor(2.0))
        self.optimizers = {
            "user": torch.optim.Adam(self.user.parameters(), lr=1e-3),
            "item": torch.optim.Adam(self.item.parameters(), lr=1e-3),
            "scale": torch.optim.SGD([self.logit_scale], lr=1e-2),
        }

    def similarity(self, users, items):
        return self.logit_scale.exp() * self.user(users) @ self.item(items).T

    def clear(self):
        for opt in self.optimizers.values():
            opt.zero_grad

    def apply(self):
        for opt in self.optimizers.values():
            opt.step()

    def train_step(self, users, items):
        self.clear()
        sim = self.similarity(users, items)
        target = torch.arange(len(users))
        loss = (F.cross_entropy(sim, target) + F.cross_entropy(sim.T, target)) / 2
        loss.backward()
        self.apply()
        return loss.item()

    @torch.no_grad()
    def recall_at(self, users, items, k):
        top = self.similarity(users, items).topk(k, dim=1).indices
        truth = torch.arange(len(users)).unsqueeze(1)
        return (top == truth).any(dim=1).float().mean().item()


def main():
    torch.manual_seed(0)
    base = torch.randn(200, 6)
    users = base @ torch.randn(6, 10)
    items = base @ torch.randn(6, 14)
    tower = TwoTower(10, 14)
    for epoch in range(3):
        for idx in torch.randperm(200).split(50):
            loss = tower.train_step(users[idx], items[idx])
        print(epoch, round(loss, 4), tower.recall_at(users, items, 5))


if __name__ == "__main__":
    main()
