import torch
import torch.nn as nn
import torch.nn.functional as F

from modes import evaluating


class Trainer:
    def __init__(self, device):
        self.device = device
        self.model = nn.Sequential(nn.Linear(4, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 2)).to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=5e-3)

    def batch(self, n=32):
        x = torch.randn(n, 4, device=self.device)
        return x, (x.prod(1) > 0).long()

    @evaluating
    def validate(self, batches):
        right, seen, total = 0, 0, 0.0
        for x, y in batches:
            logits = self.model(x)
            total += F.cross_entropy(logits, y, reduction="sum").item()
            right += (logits.argmax(1) == y).sum().item()
            seen += len(y)
        return total / seen, right / seen

    def fit(self, epochs=3):
        held = [self.batch() for _ in range(3)]
        self.model.train()
        for epoch in range(epochs):
            for _ in range(5):
                x, y = self.batch()
                loss = F.cross_entropy(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(epoch, "loss %.3f accuracy %.3f" % self.validate(held))


if __name__ == "__main__":
    Trainer(torch.device("cuda" if torch.cuda.is_available() else "cpu")).fit()
