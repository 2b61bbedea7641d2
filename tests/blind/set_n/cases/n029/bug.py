import math
import torch
from torch import nn


class RelationalAttention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, 1 / math.sqrt(dim // heads)
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self.out = nn.Linear(dim, dim)
        self.gate = nn.Parameter(torch.ones(heads, 1, 1))

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def weights(self, q, k, mask):
        w = (q @ k.transpose(-2, -1) * self.scale).softmax(-1)
        w *= mask[:, None, None, :]
        w /= w.sum(-1, keepdim=True).clamp(min=1e-6)
        return w * self.gate

    def forward(self, x, mask):
        q, k, v = self.split(self.q(x)), self.split(self.k(x)), self.split(self.v(x))
        y = self.weights(q, k, mask) @ v
        return self.out(y.transpose(1, 2).flatten(-2))


class Matcher(nn.Module):
    def __init__(self, vocab=30, dim=16, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.ModuleList(RelationalAttention(dim, 4) for _ in range(depth))
        self.head = nn.Linear(dim, 1)

    def forward(self, ids):
        mask = ids.ne(0).float()
        x = self.emb(ids)
        for layer in self.layers:
            x = x + layer(x, mask)
        return self.head((x * mask.unsqueeze(-1)).sum(1)).squeeze(-1)


def train(steps=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Matcher().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(steps):
        ids = torch.randint(0, 30, (4, 7), device=device)
        loss = nn.functional.binary_cross_entropy_with_logits(model(ids), torch.ones(4, device=device))
        opt.zero_grad()
        loss.backward()
        opt.step()


train()
