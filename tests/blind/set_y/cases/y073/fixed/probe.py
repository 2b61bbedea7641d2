import torch
from torch import nn
from torch.utils.data import TensorDataset

from features import FeatureCache, FrozenEncoder


class LowRankProbe(nn.Module):
    def __init__(self, dim=16, classes=3):
        super().__init__()
        self.norm, self.fc = nn.LayerNorm(dim), nn.Linear(dim, classes)

    def forward(self, f):
        return self.fc(self.norm(f))


def main(epochs=2, batch_size=10):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = TensorDataset(torch.randn(40, 24), torch.randint(0, 3, (40,)))
    cache = FeatureCache(FrozenEncoder(), device)
    cache.fill(data)
    probe = LowRankProbe().to(device)
    opt = torch.optim.AdamW(probe.parameters(), lr=1e-2)
    for epoch in range(epochs):
        for feats, target in cache.batches(batch_size):
            loss = nn.functional.cross_entropy(probe(feats), target)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
