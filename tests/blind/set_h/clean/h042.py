import torch
import torch.nn as nn
import torch.nn.functional as F


class RingBuffer:
    """Features stay on the device; the bookkeeping is done with host tensors."""

    def __init__(self, size, dim, device):
        self.store = torch.zeros(size, dim, device=device)
        self.labels = torch.zeros(size, dtype=torch.long)
        self.head, self.full = 0, False

    def push(self, feats, labels):
        n = len(feats)
        where = (self.head + torch.arange(n)) % len(self.labels)
        self.store[where] = feats.detach()
        self.labels[where] = labels
        self.full = self.full or self.head + n >= len(self.labels)
        self.head = (self.head + n) % len(self.labels)

    def __len__(self):
        return len(self.labels) if self.full else self.head

    def balanced(self, per_class):
        valid = self.labels[:len(self)]
        picks = [(valid == c).nonzero().flatten()[:per_class] for c in valid.unique().tolist()]
        rows = torch.cat(picks)
        return self.store[rows], self.labels[rows].to(self.store.device)


class Normaliser(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.register_buffer("mean", torch.zeros(dim))
        self.register_buffer("std", torch.ones(dim))

    def load(self, mean, std):
        self.mean.copy_(mean)
        self.std[:] = std.clamp_min(1e-3)

    def forward(self, x):
        return (x - self.mean) / self.std


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    raw = torch.randn(128, 8) * 3 + 1
    labels = torch.randint(0, 3, (128,))
    norm = Normaliser(8).to(device)
    norm.load(raw.mean(0), raw.std(0))
    head = nn.Linear(8, 3).to(device)
    opt = torch.optim.SGD(head.parameters(), lr=0.1)
    memory = RingBuffer(64, 8, device)
    temperature = torch.tensor(0.7)
    floor = torch.tensor(-5.0, device=device)

    for x, y in zip(raw.split(16), labels.split(16)):
        memory.push(norm(x.to(device)), y)
        feats, target = memory.balanced(5)
        logits = torch.maximum(head(feats) / temperature, floor)
        loss = F.cross_entropy(logits, target)
        opt.zero_grad()
        loss.backward()
        opt.step()
    order = torch.randperm(len(memory))
    print(loss.item(), memory.store[order].view_as(torch.empty(64, 8)).shape, (logits.detach() * temperature).mean().item())


if __name__ == "__main__":
    main()
