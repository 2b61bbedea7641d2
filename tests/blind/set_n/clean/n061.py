import torch
from torch import nn
from torch.utils.data import BatchSampler, RandomSampler


class MemoryBank:
    def __init__(self, n, dim, device, momentum=0.5):
        self.vectors = nn.functional.normalize(torch.randn(n, dim, device=device), dim=1)
        self.momentum = momentum

    def read(self, idx):
        return self.vectors[idx]

    @torch.no_grad()
    def write(self, idx, feats):
        new = self.momentum * self.vectors[idx] + (1 - self.momentum) * feats
        self.vectors[idx] = nn.functional.normalize(new, dim=1)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = torch.randn(40, 12, device=device)
encoder = nn.Linear(12, 6).to(device)
bank = MemoryBank(len(data), 6, device)
opt = torch.optim.SGD(encoder.parameters(), lr=0.1)
for epoch in range(2):
    for picked in BatchSampler(RandomSampler(range(len(data))), 10, drop_last=True):
        idx = torch.tensor(picked)
        feats = nn.functional.normalize(encoder(data[idx]), dim=1)
        pos = (feats * bank.read(idx)).sum(1, keepdim=True)
        neg = feats @ bank.vectors[torch.randint(0, len(data), (16,))].T
        logits = torch.cat([pos, neg], 1) / 0.1
        loss = nn.functional.cross_entropy(logits, torch.zeros(len(logits), dtype=torch.long, device=device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        bank.write(idx, feats.detach())
