"""Matrix factorisation recommender with a small experiment class."""
import torch
from torch import nn


class MF(nn.Module):
    def __init__(self, users, items, dim=8):
        super().__init__()
        self.user = nn.Embedding(users, dim)
        self.item = nn.Embedding(items, dim)
        self.bias = nn.Embedding(items, 1)
        for emb in (self.user, self.item):
            nn.init.normal_(emb.weight, std=0.05)

    def forward(self, u, i):
        return (self.user(u) * self.item(i)).sum(dim=-1) + self.bias(i).squeeze(-1)


class Experiment:
    OPTIMIZERS = {"sgd": torch.optim.SGD, "adagrad": torch.optim.Adagrad}

    def __init__(self, model, optimizer="adagrad", lr=0.1):
        self.model = model
        self.lr = lr
        self.kind = optimizer
        self.optimizer = None
        self.device = torch.device("cpu")
        self.history = []

    def to(self, device):
        self.device = torch.device(device)
        self.model.to(self.device)
        self.optimizer = self.OPTIMIZERS[self.kind](self.model.parameters(), lr=self.lr)
        return self

    def step(self, users, items, ratings):
        users, items, ratings = (t.to(self.device) for t in (users, items, ratings))
        loss = nn.functional.mse_loss(self.model(users, items), ratings)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.detach()

    def run(self, batches):
        for batch in batches:
            self.history.append(self.step(*batch)) 
        return torch.stack(self.history).mean().item()


def interactions(n_batches, users, items, size=32):
    for _ in range(n_batches):
        u = torch.randint(0, users, (size,))
        i = torch.randint(0, items, (size,))
        yield u, i, ((u + i) % 5).float()


if __name__ == "__main__":
    exp = Experiment(MF(20, 30)).to("cuda" if torch.cuda.is_available() else "cpu")
    print(exp.run(interactions(4, 20, 30)))
