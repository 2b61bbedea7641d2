from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class GPTConfig:
    vocab: int = 20
    block: int = 16
    dim: int = 16
    heads: int = 2


class CausalAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.heads = cfg.heads
        self.qkv = nn.Linear(cfg.dim, 3 * cfg.dim)
        self.proj = nn.Linear(cfg.dim, cfg.dim)
        mask = torch.tril(torch.ones(cfg.block, cfg.block)).view(1, 1, cfg.block, cfg.block)
        self.register_buffer("mask", mask, persistent=False)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (y.view(b, t, self.heads, -1).transpose(1, 2) for y in self.qkv(x).split(c, dim=2))
        att = (q @ k.transpose(-2, -1)) * (c // self.heads) ** -0.5
        att = att.masked_fill(self.mask[:, :, :t, :t] == 0, float("-inf")).softmax(-1)
        return self.proj((att @ v).transpose(1, 2).reshape(b, t, c))


class GPT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.wte, self.wpe = nn.Embedding(cfg.vocab, cfg.dim), nn.Embedding(cfg.block, cfg.dim)
        self.attn = CausalAttention(cfg)
        self.lm_head = nn.Linear(cfg.dim, cfg.vocab, bias=False)
        self.lm_head.weight = self.wte.weight

    def forward(self, idx, targets=None):
        pos = torch.arange(idx.size(1), device=idx.device)
        x = self.wte(idx) + self.wpe(pos)
        logits = self.lm_head(x + self.attn(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten())

    @torch.no_grad()
    def generate(self, idx, n, top_k=5):
        for _ in range(n):
            logits = self(idx[:, -self.cfg.block:])[0][:, -1]
            kth = logits.topk(top_k).values[:, -1:]
            probs = logits.masked_fill(logits < kth, float("-inf")).softmax(-1)
            idx = torch.cat((idx, torch.multinomial(probs, 1)), dim=1)
        return idx


device = "cuda" if torch.cuda.is_available() else "cpu"
model = GPT(GPTConfig()).to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for it in range(3):
    seq = torch.randint(0, 20, (4, 11)).to(device)
    _, loss = model(seq[:, :-1], seq[:, 1:])
    opt.zero_grad(set_to_none=True)
    loss.backward()
    opt.step()
print(loss.item(), model.generate(torch.zeros(1, 1, dtype=torch.long, device=device), 8).tolist())
