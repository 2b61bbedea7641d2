import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

OPTIMIZERS = {
    "sgd": lambda ps, lr: torch.optim.SGD(ps, lr=lr, momentum=0.9),
    "adagrad": lambda ps, lr: torch.optim.Adagrad(ps, lr=lr, initial_accumulator_value=0.1),
    "adam": lambda ps, lr: torch.optim.Adam(ps, lr=lr),
}


class FactorizationMachine(nn.Module):
    def __init__(self, fields, vocab, dim=8):
        super().__init__()
        self.linear = nn.Embedding(fields * vocab, 1)
        self.factors = nn.Embedding(fields * vocab, dim)
        self.bias = nn.Parameter(torch.zeros(1))
        self.register_buffer("offset", torch.arange(fields) * vocab)
        nn.init.normal_(self.factors.weight, std=0.01)

    def forward(self, x):
        x = x + self.offset
        v = self.factors(x)
        pair = 0.5 * (v.sum(1).pow(2) - v.pow(2).sum(1)).sum(1)
        return self.bias + self.linear(x).sum(dim=(1, 2)) + pair


class CTRTask:
    def __init__(self, model, optimizer="adagrad", lr=0.05):
        self.model = model
        self.optimizer = OPTIMIZERS[optimizer](model.parameters(), lr)

    def fit(self, loader, epochs, device):
        self.model.to(device)
        self.model.train()
        for epoch in range(epochs):
            total = 0.0
            for x, y in loader:
                x, y = x.to(device), y.to(device)
                loss = F.binary_cross_entropy_with_logits(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            print(f"epoch {epoch} logloss {total / len(loader):.4f}")


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    X = torch.randint(0, 20, (128, 5))
    clicked = (X[:, 0] + X[:, 1] > 20).float()
    loader = DataLoader(TensorDataset(X, clicked), batch_size=32, shuffle=True)
    task = CTRTask(FactorizationMachine(5, 20))
    task.fit(loader, epochs=2, device=device)
