import torch
from torch import nn
from base import BaseFitter


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Conv1d(2, 8, 5, padding=2)
        self.drop = nn.Dropout(0.2)
        self.b = nn.Conv1d(8, 1, 5, padding=2)

    def forward(self, x):
        return self.b(self.drop(self.a(x).relu()))


class Fitter(BaseFitter):
    def loss(self, batch):
        x, y = (t.to(self.device) for t in batch)
        return nn.functional.huber_loss(self.net(x), y)


def batches(n):
    return [(torch.randn(4, 2, 16), torch.randn(4, 1, 16)) for _ in range(n)]


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    Fitter(Net(), device).fit(batches(4), batches(2), 2)
