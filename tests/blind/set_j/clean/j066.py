import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, d, heads):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(d), nn.LayerNorm(d)
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(d, 2 * d), nn.GELU(), nn.Linear(2 * d, d))

    def forward(self, x, mask):
        h = self.n1(x)
        x = x + self.attn(h, h, h, attn_mask=mask, need_weights=False)[0]
        return x + self.ff(self.n2(x))


class Transformer(nn.Module):
    def __init__(self, vocab, d=16, depth=3, ckpt=True):
        super().__init__()
        self.emb, self.ckpt = nn.Embedding(vocab, d), ckpt
        self.blocks = nn.ModuleList(Block(d, 2) for _ in range(depth))
        self.head = nn.Linear(d, vocab)

    def forward(self, ids):
        x = self.emb(ids)
        n = ids.size(1)
        mask = torch.full((n, n), float("-inf"), device=ids.device).triu(1)
        for b in self.blocks:
            x = checkpoint(b, x, mask, use_reentrant=False) if self.ckpt and self.training else b(x, mask)
        return self.head(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Transformer(25).to(device).train()
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(3):
    ids = torch.randint(0, 25, (2, 9), device=device)
    loss = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:])
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
