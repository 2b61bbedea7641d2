import torch
from torch import nn
import torch.nn.functional as F
from fake_quant import convert


class KeywordNet(nn.Module):
    def __init__(self, mels=10, width=16, words=4):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Conv1d(mels, width, 5, padding=2), nn.BatchNorm1d(width), nn.ReLU(),
            nn.Conv1d(width, width, 3, stride=2, padding=1), nn.BatchNorm1d(width), nn.ReLU(),
        )
        self.head = nn.Linear(width, words)

    def forward(self, x):
        return self.head(self.layers(x).mean(-1))


def words(n=16):
    y = torch.randint(0, 4, (n,))
    x = torch.randn(n, 10, 24)
    x[torch.arange(n), y] += 1.5
    return x, y


def run(model, steps, lr):
    model.train()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
    for _ in range(steps):
        x, y = words()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


torch.manual_seed(0)
model = KeywordNet()
print("float", run(model, 15, 0.05))
model = convert(model, bits=4)
print("quantised", run(model, 10, 0.01))
