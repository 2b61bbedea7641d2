import torch
import torch.nn as nn
import torch.nn.functional as F


class CausalAttention(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.heads = heads
        self.scale = (dim // heads) ** -0.5
        self.q, self.kv, self.out = nn.Linear(dim, dim), nn.Linear(dim, dim * 2), nn.Linear(dim, dim)

    def split(self, t):
        b, n, d = t.shape
        return t.view(b, n, self.heads, d // self.heads).transpose(1, 2)

    def forward(self, x):
        n = x.size(1)
        k, v = (self.split(t) for t in self.kv(x).chunk(2, dim=-1))
        scores = self.split(self.q(x)) @ k.transpose(-2, -1)
        scores *= self.scale
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        scores.masked_fill_(future, float("-inf"))
        mixed = scores.softmax(-1) @ v
        y = self.out(mixed.transpose(1, 2).flatten(2))
        y += x
        return y


class Net(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.attn = CausalAttention(dim)
        self.ff = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(inplace=True), nn.Linear(dim, vocab))

    def forward(self, ids):
        return self.ff(self.attn(self.embed(ids)))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Net().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step in range(8):
        ids = torch.randint(0, 30, (6, 12), device=device)
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.transpose(1, 2), ids[:, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(f"final {loss.item():.3f}")


if __name__ == "__main__":
    main()
