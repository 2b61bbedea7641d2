import torch
import torch.nn as nn
import torch.nn.functional as F

from encoder import EmbeddingStore, FrozenEncoder


class Probe(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(dim))
        self.fc = nn.Linear(dim, classes)

    def forward(self, z):
        return self.fc(z * self.scale)


def main():
    torch.manual_seed(3)
    docs = torch.randint(0, 80, (48, 10))
    labels = (docs[:, 0] > 40).long()
    store = EmbeddingStore(FrozenEncoder(80, 16), docs, labels)
    probe = Probe(16, 2)
    opt = torch.optim.AdamW(probe.parameters(), lr=1e-2)
    for epoch in range(3):
        for z, y in store.batches(12):
            loss = F.cross_entropy(probe(z), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
