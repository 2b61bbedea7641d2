import torch
from torch import nn

from metrics import AveragePrecision


class Tagger(nn.Module):
    def __init__(self, inputs=10, tags=4):
        super().__init__()
        self.fc = nn.Sequential(nn.Linear(inputs, 32), nn.ReLU(), nn.Linear(32, tags))

    def forward(self, x):
        return self.fc(x)


class Experiment:
    def __init__(self, device):
        self.device = device
        self.model = Tagger().to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-2)
        self.criterion = nn.BCEWithLogitsLoss()

    def run(self, data, training):
        metric = AveragePrecision()
        self.model.train(training)
        with torch.set_grad_enabled(training):
            for x, y in data:
                x, y = x.to(self.device), y.to(self.device)
                logits = self.model(x)
                if training:
                    loss = self.criterion(logits, y)
                    self.optimizer.zero_grad()
                    loss.backward()
                    self.optimizer.step()
                metric.update(logits, y)
        return metric.compute()


def make(n):
    out = []
    for _ in range(n):
        x = torch.randn(16, 10)
        out.append((x, (x[:, :4] > 0).float()))
    return out


if __name__ == "__main__":
    exp = Experiment(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    train, test = make(4), make(2)
    for _ in range(2):
        print(exp.run(train, True), exp.run(test, False))
