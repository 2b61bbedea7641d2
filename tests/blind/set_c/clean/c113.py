import torch
from torch import nn


class RelativePositionBias(nn.Module):
    def __init__(self, heads, max_distance=8):
        super().__init__()
        self.bias = nn.Embedding(2 * max_distance + 1, heads)
        self.max_distance = max_distance
        self._cache = {}

    def _index(self, n, device):
        key = (n, device)
        if key not in self._cache:
            pos = torch.arange(n, device=device)
            self._cache[key] = (pos[None] - pos[:, None]).clamp(-self.max_distance, self.max_distance) + self.max_distance
        return self._cache[key]

    def forward(self, scores):
        n = scores.size(-1)
        return scores + self.bias(self._index(n, scores.device)).permute(2, 0, 1)


class Attention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.rel = RelativePositionBias(heads)
        self.scale = torch.tensor(dim // heads).rsqrt()

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        scores = self.rel(q @ k.transpose(-1, -2) * self.scale)
        scores.masked_fill_(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        return (scores.softmax(-1) @ v).transpose(1, 2).reshape(b, n, d)


if __name__ == "__main__":
    net = Attention(8)
    net(torch.randn(1, 4, 8)).sum().backward()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net.to(device)
    print(net(torch.randn(2, 4, 8, device=device)).mean().item())
