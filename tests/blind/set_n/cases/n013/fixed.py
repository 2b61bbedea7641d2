import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Factorization(nn.Module):
    def __init__(self, users, items, dim=8):
        super().__init__()
        self.u = nn.Embedding(users, dim)
        self.i = nn.Embedding(items, dim)
        self.bias = nn.Embedding(items, 1)

    def forward(self, users, items):
        return (self.u(users) * self.i(items)).sum(-1) + self.bias(items).squeeze(-1)


def build(users, items, lr):
    model = Factorization(users, items)
    model.to(DEVICE)
    return model, torch.optim.Adagrad(model.parameters(), lr=lr)


def fit(model, optimizer, loader, device, epochs=2):
    for epoch in range(epochs):
        seen = loss_sum = 0.0
        for u, i, r in loader:
            u, i, r = u.to(device), i.to(device), r.to(device)
            loss = nn.functional.mse_loss(model(u, i), r)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss_sum += loss.item() * len(r)
            seen += len(r)
        print(f"epoch {epoch}: rmse {(loss_sum / seen) ** 0.5:.3f}")


DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")
triples = TensorDataset(torch.randint(0, 20, (64,)), torch.randint(0, 30, (64,)), torch.rand(64) * 5)
model, optimizer = build(20, 30, 0.05)
fit(model, optimizer, DataLoader(triples, batch_size=16, shuffle=True), DEVICE)
