import torch
import torch.nn as nn
import torch.nn.functional as F


class InMemoryData:
    """The whole data set sits on the training device, the sampler on the host."""

    def __init__(self, n, device, seed=0):
        self.generator = torch.Generator().manual_seed(seed)
        self.x = torch.randn(n, 5).to(device)
        self.y = (self.x[:, 0] + self.x[:, 1] > 0).long()

    def epoch(self, batch_size):
        order = torch.randperm(len(self.x), generator=self.generator)
        for idx in order.split(batch_size):
            yield self.x[idx], self.y[idx]

    def holdout_mask(self, fraction=0.25):
        return torch.rand(len(self.x), generator=self.generator) < fraction


def accuracy(model, x, y):
    with torch.no_grad():
        return (model(x).argmax(1) == y).float().mean().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = InMemoryData(64, device)
    model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 2)).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for epoch in range(2):
        for x, y in data.epoch(16):
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        held = data.holdout_mask()
        print(epoch, loss.item(), accuracy(model, data.x[held], data.y[held]))


if __name__ == "__main__":
    main()
