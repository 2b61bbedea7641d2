import torch
from torch import nn


class FactorizationMachine(nn.Module):
    def __init__(self, fields, dim=4):
        super().__init__()
        offsets = torch.tensor([0, *fields[:-1]]).cumsum(0)
        self.register_buffer("offsets", offsets)
        self.linear = nn.Embedding(sum(fields), 1)
        self.factors = nn.Embedding(sum(fields), dim)
        self.bias = nn.Parameter(torch.zeros(1))

    def forward(self, x):
        x = x + self.offsets
        v = self.factors(x)
        pairwise = 0.5 * (v.sum(1).pow(2) - v.pow(2).sum(1)).sum(1)
        return self.bias + self.linear(x).sum((1, 2)) + pairwise


class ClickTrainer:
    def __init__(self, fields, lr=0.05):
        self.fields = fields
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = FactorizationMachine(fields)
        self.optimizer = torch.optim.Adagrad(self.model.parameters(), lr=lr)
        self.criterion = nn.BCEWithLogitsLoss()

    def batch(self, n=16):
        x = torch.stack([torch.randint(0, f, (n,)) for f in self.fields], dim=1)
        y = (x[:, 0] % 2).float()
        return x.to(self.device), y.to(self.device)

    def run(self, steps):
        self.model.to(self.device)
        self.model.train()
        for step in range(steps):
            x, y = self.batch()
            loss = self.criterion(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


if __name__ == "__main__":
    print(ClickTrainer([10, 7, 5]).run(4))
