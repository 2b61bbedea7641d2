import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalAttention(nn.Module):
    def __init__(self, dim, heads, drop=0.1):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)
        self.drop = drop

    def forward(self, x, keep=None):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
        causal = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        attn = scores.masked_fill(~causal, float("-inf")).softmax(dim=-1)
        if keep is not None:
            attn *= keep[:, None, None, :]
        attn = F.dropout(attn, self.drop, self.training)
        y = (attn @ v).transpose(1, 2).reshape(b, t, d)
        return self.proj(y)


class Decoder(nn.Module):
    def __init__(self, vocab=30, dim=16, heads=4, depth=2):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim, padding_idx=0)
        self.layers = nn.ModuleList(CausalAttention(dim, heads) for _ in range(depth))
        self.norms = nn.ModuleList(nn.LayerNorm(dim) for _ in range(depth))
        self.out = nn.Linear(dim, vocab)

    def forward(self, ids):
        keep = (ids != 0).float()
        x = self.tok(ids)
        for norm, layer in zip(self.norms, self.layers):
            x = x + layer(norm(x), keep)
        return self.out(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Decoder().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(4):
        ids = torch.randint(1, 30, (5, 10), device=device)
        ids[:, 8:] = 0
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
