"""Graph attention layer with edge dropping."""
import torch
from torch import nn
import torch.nn.functional as F


def drop_edges(scores: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    """Removes dropped edges and brings the rows back to the old scale."""
    return scores * keep / keep.float().mean().clamp(min=0.1)


class GATLayer(nn.Module):
    def __init__(self, dim, out, heads=2, drop=0.2):
        super().__init__()
        self.heads, self.out, self.drop = heads, out, drop
        self.proj = nn.Linear(dim, heads * out, bias=False)
        self.left = nn.Parameter(torch.randn(heads, out) * 0.1)
        self.right = nn.Parameter(torch.randn(heads, out) * 0.1)

    def attention(self, h, adj):
        a = (h * self.left).sum(-1).t()
        b = (h * self.right).sum(-1).t()
        e = F.leaky_relu(a.unsqueeze(2) + b.unsqueeze(1), 0.2)
        return e.masked_fill(~adj, float("-inf")).softmax(dim=-1)

    def forward(self, x, adj):
        h = self.proj(x).view(-1, self.heads, self.out)
        alpha = self.attention(h, adj)
        if self.training:
            keep = torch.rand_like(alpha) > self.drop
            alpha = drop_edges(alpha, keep)
        return torch.einsum("hij,jhd->ihd", alpha, h).flatten(1)


class GAT(nn.Module):
    def __init__(self, dim=6, hidden=8, classes=3):
        super().__init__()
        self.l1 = GATLayer(dim, hidden)
        self.l2 = GATLayer(hidden * 2, classes, heads=1)

    def forward(self, x, adj):
        return self.l2(F.elu(self.l1(x, adj)), adj)


def main():
    n = 15
    x = torch.randn(n, 6)
    adj = (torch.rand(n, n) > 0.6) | torch.eye(n, dtype=torch.bool)
    y = torch.randint(0, 3, (n,))
    model = GAT()
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    for _ in range(3):
        model.train()
        loss = F.cross_entropy(model(x, adj), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
