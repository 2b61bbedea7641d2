import torch
from torch import nn
import torch.nn.functional as F


class DeepFM(nn.Module):
    def __init__(self, fields=(20, 15, 10), dim=6, hidden=24):
        super().__init__()
        self.register_buffer("offset", torch.tensor([0, *fields[:-1]]).cumsum(0))
        total = sum(fields)
        self.linear = nn.Embedding(total, 1)
        self.factors = nn.Embedding(total, dim)
        self.deep = nn.Sequential(nn.Linear(dim * len(fields), hidden), nn.ReLU(), nn.Linear(hidden, 1))
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        x = x + self.offset
        v = self.factors(x)
        first = self.linear(x).sum(1)
        second = 0.5 * (v.sum(1).square() - v.square().sum(1)).sum(1, keepdim=True)
        return (self.bias + first + second + self.deep(v.flatten(1))).squeeze(-1)


class EarlyStopping:
    def __init__(self, patience=2):
        self.best, self.patience, self.bad = float("inf"), patience, 0

    def __call__(self, value):
        self.bad = 0 if value < self.best else self.bad + 1
        self.best = min(self.best, value)
        return self.bad >= self.patience


class CTRTrainer:
    def __init__(self, model, lr=0.05):
        self.model = model
        self.optimizer = torch.optim.Adagrad(model.parameters(), lr=lr)
        self.stop = EarlyStopping()

    def fit(self, train, valid, epochs, device):
        self.model.to(device)
        for epoch in range(epochs):
            self.model.train()
            for x, y in train:
                loss = F.binary_cross_entropy_with_logits(self.model(x.to(device)), y.to(device))
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            value = self.validate(valid, device)
            print(f"{epoch} log loss {value:.4f}")
            if self.stop(value):
                break

    @torch.no_grad()
    def validate(self, batches, device):
        self.model.eval()
        losses = [F.binary_cross_entropy_with_logits(self.model(x.to(device)), y.to(device)).item() for x, y in batches]
        return sum(losses) / len(losses)


def clicks(n_batches, size=32):
    for _ in range(n_batches):
        x = torch.stack([torch.randint(k, (size,)) for k in (20, 15, 10)], 1)
        yield x, ((x[:, 0] + x[:, 1]) % 2).float()


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trainer = CTRTrainer(DeepFM())
    trainer.fit(list(clicks(4)), list(clicks(2)), 3, device)
