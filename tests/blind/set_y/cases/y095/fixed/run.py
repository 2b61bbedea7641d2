import torch
from torch import nn

from swa import WeightAverage


class SelfAttentivePooling(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(dim, dim), nn.Tanh(), nn.Linear(dim, 1))
        self.weights = None

    def forward(self, x):
        weights = self.score(x).softmax(dim=1)
        self.weights = weights.detach()
        return (weights * x).sum(1)


class Classifier(nn.Module):
    def __init__(self, dim=12, classes=4):
        super().__init__()
        self.frame = nn.Sequential(nn.Linear(dim, 24), nn.ReLU())
        self.pool, self.out = SelfAttentivePooling(24), nn.Linear(24, classes)

    def forward(self, x):
        return self.out(self.pool(self.frame(x)))

    def attention_entropy(self):
        w = self.pool.weights.detach()
        return -(w * (w + 1e-9).log()).sum(1).mean().item()


def main(epochs=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Classifier().to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    swa = WeightAverage(start=2)
    for epoch in range(epochs):
        for _ in range(3):
            x = torch.randn(16, 9, 12, device=device)
            y = x.mean(1)[:, :4].argmax(1)
            loss = nn.functional.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        swa.collect(epoch, model)
        print(epoch, loss.item(), model.attention_entropy(), swa.count)


if __name__ == "__main__":
    main()
