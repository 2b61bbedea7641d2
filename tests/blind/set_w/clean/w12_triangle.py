import math
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class TriangleAttention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.h = heads
        self.norm = nn.LayerNorm(dim)
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim)
        nn.init.zeros_(self.out.weight)

    def forward(self, pair, valid):
        b, n, _, d = pair.shape
        x = self.norm(pair)
        q, k, v = (t.view(b, n, n, self.h, -1).transpose(2, 3) for t in self.qkv(x).chunk(3, -1))
        logits = q @ k.transpose(-1, -2) / math.sqrt(d // self.h)
        logits.masked_fill_(~valid[:, None, None, None, :], -1e9)
        o = logits.softmax(-1) @ v
        out = self.out(o.transpose(2, 3).reshape(b, n, n, d))
        out += pair
        return out


class Trunk(nn.Module):
    def __init__(self, dim=12, depth=2):
        super().__init__()
        self.blocks = nn.ModuleList([TriangleAttention(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, 1)

    def forward(self, pair, valid):
        for blk in self.blocks:
            pair = checkpoint(blk, pair, valid, use_reentrant=False) if self.training else blk(pair, valid)
        z = self.head(pair).squeeze(-1)
        return 0.5 * (z + z.mT)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
trunk = Trunk().to(device)
opt = torch.optim.AdamW(trunk.parameters(), lr=1e-3)
for _ in range(2):
    pair = torch.randn(2, 10, 10, 12).to(device)
    lens = torch.tensor([7, 10], device=device)
    valid = torch.arange(10, device=pair.device) < lens[:, None]
    both = valid[:, :, None] & valid[:, None, :]
    target = torch.zeros(2, 10, 10, device=device)
    logit = trunk(pair, valid)
    loss = F.binary_cross_entropy_with_logits(logit[both], target[both])
    opt.zero_grad()
    loss.backward()
    opt.step()
trunk.eval()
with torch.inference_mode():
    p = trunk(pair, valid).sigmoid_()
print(p.cpu().numpy().mean())
