import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Backbone(nn.Module):
    def __init__(self, d=16):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Linear(32, d))

    def forward(self, x):
        return nn.functional.normalize(self.net(x), dim=-1)


@torch.inference_mode()
def encode(backbone, loader):
    backbone.eval()
    feats, labels = [], []
    for x, y in loader:
        feats.append(backbone(x))
        labels.append(y)
    return torch.cat(feats), torch.cat(labels)


class LinearProbe:
    def __init__(self, dim, classes, lr=0.1):
        self.fc = nn.Linear(dim, classes)
        self.opt = torch.optim.SGD(self.fc.parameters(), lr=lr)

    def fit(self, feats, labels, epochs=3):
        for _ in range(epochs):
            logits = self.fc(feats)
            loss = nn.functional.cross_entropy(logits, labels)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
        return loss.item()

    @torch.inference_mode()
    def score(self, feats, labels):
        return (self.fc(feats).argmax(1) == labels).float().mean().item()


def evaluate(seed=0):
    torch.manual_seed(seed)
    data = TensorDataset(torch.randn(40, 16), torch.randint(0, 3, (40,)))
    feats, labels = encode(Backbone(), DataLoader(data, batch_size=16))
    probe = LinearProbe(16, 3)
    final = probe.fit(feats, labels)
    return final, probe.score(feats, labels)


if __name__ == "__main__":
    print(evaluate())
