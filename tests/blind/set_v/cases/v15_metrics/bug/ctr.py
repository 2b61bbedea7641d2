import torch
from torch import nn

from metric import Auc


class Wide(nn.Module):
    def __init__(self, sizes=(10, 20, 5)):
        super().__init__()
        self.tables = nn.ModuleList(nn.Embedding(n, 4) for n in sizes)
        self.out = nn.Linear(4 * len(sizes), 1)

    def forward(self, cols):
        z = torch.cat([t(c) for t, c in zip(self.tables, cols.unbind(1))], dim=1)
        return self.out(z).squeeze(1)


def clicks(steps, n=32):
    for _ in range(steps):
        cols = torch.stack([torch.randint(0, k, (n,)) for k in (10, 20, 5)], dim=1)
        yield cols, (cols[:, 0] > 4).float()


def train(net, steps=5):
    opt = torch.optim.Adagrad(net.parameters(), lr=0.05)
    bce = nn.BCEWithLogitsLoss()
    auc = Auc()
    for cols, y in clicks(steps):
        logit = net(cols)
        loss = bce(logit, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        auc.update(torch.sigmoid(logit), y)
    return auc.compute()


if __name__ == "__main__":
    print(train(Wide()))
