import torch
from torch import nn
import torch.nn.functional as F


class RecurrentMemoryLayer(nn.Module):
    """Self attention over the segment and the hidden states of the segment before it."""

    def __init__(self, dim, heads, mem_len):
        super().__init__()
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))
        self.mem_len = mem_len
        self.memory = None

    def reset(self):
        self.memory = None

    def forward(self, x):
        context = x if self.memory is None else torch.cat([self.memory, x], dim=1)
        self.memory = context[:, -self.mem_len:]
        y, _ = self.attn(x, context, context, need_weights=False)
        x = self.norm(x + y)
        return x + self.ff(x)


class SegmentLM(nn.Module):
    def __init__(self, vocab=40, dim=16, depth=2, mem_len=12):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(RecurrentMemoryLayer(dim, 2, mem_len) for _ in range(depth))
        self.head = nn.Linear(dim, vocab)

    def reset(self):
        for layer in self.layers:
            layer.reset()

    def forward(self, ids):
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x)
        return self.head(x)


class Trainer:
    def __init__(self, model, segment=8):
        self.model, self.segment = model, segment
        self.optim = torch.optim.SGD(model.parameters(), lr=0.05)

    def document(self, tokens):
        self.model.reset()
        total = 0.0
        for start in range(0, tokens.shape[1] - 1, self.segment):
            x = tokens[:, start:start + self.segment]
            y = tokens[:, start + 1:start + 1 + self.segment]
            logits = self.model(x[:, :y.shape[1]])
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
            self.optim.zero_grad()
            loss.backward()
            self.optim.step()
            total += loss.item()
        return total


if __name__ == "__main__":
    trainer = Trainer(SegmentLM())
    for doc in torch.randint(0, 40, (2, 3, 33)):
        print(f"{trainer.document(doc):.3f}")
