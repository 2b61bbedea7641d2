import torch
from torch import nn


class FactorizationMachine(nn.Module):
    def __init__(self, field_dims, k=8):
        super().__init__()
        total = sum(field_dims)
        self.linear, self.factors = nn.Embedding(total, 1), nn.Embedding(total, k)
        self.bias = nn.Parameter(torch.zeros(1))
        starts = [0]
        for d in field_dims[:-1]:
            starts.append(starts[-1] + d)
        self.register_buffer("offsets", torch.tensor(starts))

    def forward(self, fields):
        idx = fields + self.offsets
        v = self.factors(idx)
        pair = 0.5 * (v.sum(1).pow(2) - v.pow(2).sum(1)).sum(1)
        return self.bias + self.linear(idx).sum(dim=(1, 2)) + pair


class Recommender:
    def __init__(self, field_dims, lr):
        self.field_dims = field_dims
        self.net = FactorizationMachine(field_dims)
        self.optimizer = torch.optim.Adagrad(self.net.parameters(), lr=lr)
        self.criterion = nn.BCEWithLogitsLoss()

    def on(self, device):
        self.device = device
        self.net = self.net.to(device)
        return self

    def fit(self, x, y, batch_size=32):
        for xb, yb in zip(x.split(batch_size), y.split(batch_size)):
            xb, yb = xb.to(self.device), yb.to(self.device)
            loss = self.criterion(self.net(xb), yb)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


def clicks(n, field_dims):
    x = torch.stack([torch.randint(0, d, (n,)) for d in field_dims], dim=1)
    return x, (x.sum(1) % 2).float()


if __name__ == "__main__":
    dims = (20, 12, 5)
    rec = Recommender(dims, lr=0.05).on(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    x, y = clicks(128, dims)
    for epoch in range(2):
        print(epoch, rec.fit(x, y))
