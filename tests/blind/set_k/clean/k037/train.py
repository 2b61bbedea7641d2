import torch
import torch.nn as nn
import torch.nn.functional as F

from position import alibi, causal


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        scale = torch.tensor(d // self.heads).float().rsqrt()
        scores = q @ k.transpose(-1, -2) * scale
        scores = scores + alibi(self.heads, n, n, device=x.device, dtype=x.dtype)
        scores = scores.masked_fill(causal(n, scores), float("-inf"))
        mixed = scores.softmax(-1) @ v
        return self.out(mixed.transpose(1, 2).reshape(b, n, d))


class LM(nn.Module):
    def __init__(self, vocab=24, dim=16, heads=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.attn = Attention(dim, heads)
        self.head = nn.Linear(dim, vocab)

    def forward(self, ids):
        h = self.emb(ids)
        return self.head(h + self.attn(h))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = LM().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(6):
        ids = (torch.arange(9) + torch.randint(0, 24, (8, 1))) % 24
        ids = ids.to(device)
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
