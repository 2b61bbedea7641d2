import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class PositionBase(nn.Module):
    def __init__(self, dim, max_len):
        super().__init__()
        self.dim, self.max_len = dim, max_len
        self.rebuild(max_len)

    def rebuild(self, length):
        raise NotImplementedError


class Rotary(PositionBase):
    def rebuild(self, length):
        freq = 1.0 / (10000 ** (torch.arange(0, self.dim, 2).float() / self.dim))
        angle = torch.outer(torch.arange(length).float(), freq)
        self.cos, self.sin = angle.cos(), angle.sin()

    def forward(self, x):
        t = x.size(-2)
        a, b = x[..., 0::2], x[..., 1::2]
        cos, sin = self.cos[:t], self.sin[:t]
        return torch.stack((a * cos - b * sin, a * sin + b * cos), dim=-1).flatten(-2)


class CausalAttention(nn.Module):
    def __init__(self, dim, heads, max_len):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.rope = Rotary(dim // heads, max_len)
        self.proj = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        q, k, v = self.qkv(x).view(b, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        q, k = self.rope(q), self.rope(k)
        att = (q @ k.transpose(-2, -1)) / math.sqrt(q.size(-1))
        causal = torch.ones(t, t, dtype=torch.bool, device=x.device).tril()
        att = att.masked_fill(~causal, float("-inf")).softmax(dim=-1)
        return self.proj((att @ v).transpose(1, 2).reshape(b, t, d))


class CharLM(nn.Module):
    def __init__(self, vocab=40, dim=32, heads=2, max_len=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.attn = CausalAttention(dim, heads, max_len)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        x = self.emb(ids)
        return self.head(x + self.attn(x))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CharLM().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    text = torch.randint(0, 40, (500,))
    for step in range(3):
        start = torch.randint(0, 470, (4,)).tolist()
        ids = torch.stack([text[s : s + 21] for s in start]).to(device)
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


main()
