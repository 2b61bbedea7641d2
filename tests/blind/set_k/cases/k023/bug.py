import torch
import torch.nn as nn
import torch.nn.functional as F


class MemoryLayer(nn.Module):
    """Attends over the current segment and what earlier segments left behind."""

    def __init__(self, dim, keep):
        super().__init__()
        self.q = nn.Linear(dim, dim)
        self.kv = nn.Linear(dim, 2 * dim)
        self.keep = keep

    def forward(self, x, memory):
        context = x if memory is None else torch.cat([memory, x], dim=1)
        k, v = self.kv(context).chunk(2, dim=-1)
        att = (self.q(x) @ k.transpose(1, 2) / x.shape[-1] ** 0.5).softmax(-1)
        return x + att @ v, context[:, -self.keep:]


class SegmentLM(nn.Module):
    def __init__(self, vocab=20, dim=16, layers=2, keep=6):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(MemoryLayer(dim, keep) for _ in range(layers))
        self.head = nn.Linear(dim, vocab)
        self.clear()

    def clear(self):
        self.memories = [None] * len(self.layers)

    def forward(self, ids):
        h = self.emb(ids)
        new = []
        for layer, mem in zip(self.layers, self.memories):
            h, kept = layer(h, mem)
            new.append(kept)
        self.memories = new
        return self.head(h)


def segments(tokens, width):
    for lo in range(0, tokens.shape[1] - 1, width):
        hi = min(lo + width, tokens.shape[1] - 1)
        yield tokens[:, lo:hi], tokens[:, lo + 1:hi + 1]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SegmentLM().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    tokens = torch.arange(41, device=device).repeat(4, 1) % 20
    for epoch in range(2):
        model.clear()
        for x, y in segments(tokens, 8):
            logits = model(x)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
