import torch
import torch.nn as nn
import torch.nn.functional as F


class SwitchLayer(nn.Module):
    """Top-1 routing with capacity; overflow tokens pass through unchanged."""

    def __init__(self, dim, experts=4, capacity=1.5):
        super().__init__()
        self.gate = nn.Linear(dim, experts)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim)) for _ in range(experts))
        self.capacity = capacity
        self.register_buffer("usage", torch.zeros(experts))
        self.balance = None

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        probs = self.gate(x).softmax(-1)
        weight, which = probs.max(-1)
        limit = int(self.capacity * len(x) / len(self.experts))
        out = torch.zeros_like(x)
        counts = []
        for e, expert in enumerate(self.experts):
            idx = (which == e).nonzero().flatten()
            counts.append(len(idx))
            idx = idx[:limit]
            out = out.index_add(0, idx, weight[idx, None] * expert(x[idx]))
        share = torch.tensor(counts, dtype=x.dtype, device=x.device) / len(x)
        if self.training:
            with torch.no_grad():
                self.usage.lerp_(share, 0.1)
        self.balance = len(self.experts) * (share * probs.mean(0)).sum()
        return (x + out).view(shape)


class Reader(nn.Module):
    def __init__(self, vocab=30, dim=16, layers=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.switch = nn.ModuleList(SwitchLayer(dim) for _ in range(layers))
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        h, _ = self.rnn(self.emb(ids))
        for layer in self.switch:
            h = layer(h)
        return self.out(h)

    def auxiliary(self):
        return torch.stack([l.balance for l in self.switch]).sum()


def copy_task(n, t, device):
    ids = torch.randint(0, 30, (n, t), device=device)
    return ids, ids.roll(1, dims=1)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Reader().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    accumulate = 2
    optimizer.zero_grad()
    for step in range(8):
        ids, target = copy_task(8, 10, device)
        ce = F.cross_entropy(model(ids).flatten(0, 1), target.flatten())
        loss = ce + 0.01 * model.auxiliary()
        (loss / accumulate).backward()
        if (step + 1) % accumulate == 0:
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
    print(ce.item(), [l.usage.tolist() for l in model.switch])


if __name__ == "__main__":
    main()
