import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, 2, batch_first=True)
        self.mlp = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        h = self.norm(x)
        x = x + self.attn(h, h, h, need_weights=False)[0]
        return x + self.mlp(x)


class Model(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(Block(dim) for _ in range(2))
        self.head = nn.Linear(dim, vocab, bias=False)
        self.head.weight = self.emb.weight

    def forward(self, ids):
        x = self.emb(ids)
        for b in self.blocks:
            x = b(x)
        return self.head(x)


def configure(model, lr, weight_decay):
    params = [p for p in model.parameters() if p.requires_grad]
    groups = [
        {"params": [p for p in params if p.ndim >= 2], "weight_decay": weight_decay},
        {"params": (p for p in params if p.ndim < 2), "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(groups, lr=lr), params


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Model().to(device)
optimizer, trainable = configure(model, 3e-4, 0.1)
for step in range(4):
    ids = torch.randint(0, 30, (4, 10), device=device)
    loss = nn.functional.cross_entropy(model(ids).flatten(0, 1), ids.flatten())
    optimizer.zero_grad()
    loss.backward()
    norm = nn.utils.clip_grad_norm_(trainable, 1.0)
    optimizer.step()
    print(step, loss.item(), norm.item())
