import torch
import torch.nn as nn
import torch.nn.functional as F


class RotaryEmbedding:
    def __init__(self, head_dim, base=10000.0):
        self.head_dim = head_dim
        self.base = base
        self.cached_len = 0
        self.cos = None
        self.sin = None

    def tables(self, x):
        n = x.size(-2)
        if n > self.cached_len:
            freqs = self.base ** (-torch.arange(0, self.head_dim, 2, device=x.device).float() / self.head_dim)
            angles = torch.outer(torch.arange(n, device=x.device).float(), freqs)
            angles = torch.cat((angles, angles), dim=-1)
            self.cos, self.sin = angles.cos(), angles.sin()
            self.cached_len = n
        return self.cos[:n], self.sin[:n]

    def rotate(self, x):
        cos, sin = self.tables(x)
        a, b = x.chunk(2, dim=-1)
        return x * cos + torch.cat((-b, a), dim=-1) * sin


class Block(nn.Module):
    def __init__(self, dim=32, heads=4):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, dim)
        self.rope = RotaryEmbedding(dim // heads)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = (t.view(b, n, self.heads, -1).transpose(1, 2) for t in self.qkv(x).chunk(3, dim=-1))
        q, k = self.rope.rotate(q), self.rope.rotate(k)
        y = F.scaled_dot_product_attention(q, k, v)
        return x + self.out(y.transpose(1, 2).reshape(b, n, d))


def count_activations(model, sample):
    """One dry run before training to see how large the outputs get."""
    with torch.no_grad():
        return model(sample).numel()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(Block(), Block(), nn.Linear(32, 8))
    print("activations:", count_activations(model, torch.randn(1, 12, 32)))
    model.to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(3):
        x = torch.randn(4, 12, 32, device=device)
        target = torch.randint(0, 8, (4, 12), device=device)
        loss = F.cross_entropy(model(x).flatten(0, 1), target.flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        print(step, round(loss.item(), 4))


if __name__ == "__main__":
    main()
