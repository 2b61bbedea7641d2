import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from metrics import RunningMean, roc_auc


class FactorizationMachine(nn.Module):
    def __init__(self, field_sizes=(20, 30, 10), dim=8):
        super().__init__()
        self.register_buffer("offsets", torch.tensor([0, *field_sizes[:-1]]).cumsum(0), persistent=False)
        total = sum(field_sizes)
        self.linear = nn.Embedding(total, 1)
        self.factors = nn.Embedding(total, dim)
        self.bias = nn.Parameter(torch.zeros(1))
        nn.init.normal_(self.factors.weight, std=0.05)

    def forward(self, fields):
        idx = fields + self.offsets
        v = self.factors(idx)
        pair = 0.5 * (v.sum(1).square() - v.square().sum(1)).sum(1)
        return self.bias + self.linear(idx).sum((1, 2)) + pair


def clicks(n=256):
    x = torch.stack([torch.randint(0, s, (n,)) for s in (20, 30, 10)], 1)
    y = ((x[:, 0] + x[:, 1]) % 3 == 0).float()
    return TensorDataset(x, y)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(clicks(), batch_size=64, shuffle=True)
    model = FactorizationMachine().to(device)
    criterion = nn.BCEWithLogitsLoss()
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for epoch in range(2):
        loss_avg, auc_avg = RunningMean(), RunningMean()
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            logit = model(x)
            loss = criterion(logit, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            loss_avg.update(loss.item(), len(x))
            auc_avg.update(roc_auc(torch.sigmoid(logit), y), len(x))
        print(f"epoch {epoch} loss {loss_avg.value:.4f} auc {auc_avg.value:.3f}")


if __name__ == "__main__":
    main()
