import torch
from torch import nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PointerScorer(nn.Module):
    def __init__(self, dim=8):
        super().__init__()
        self.query = nn.Linear(dim, dim, bias=False)
        self.key = nn.Linear(dim, dim, bias=False)

    def forward(self, q, items):
        return (self.key(items) * self.query(q)).sum(-1) / items.size(-1) ** 0.5


def ranking_loss(scores, positive, margin=1.0):
    negatives = torch.cat([scores[:positive], scores[positive + 1:]])
    return F.relu(margin - scores[positive] + negatives).mean()


def make_queries(n):
    for _ in range(n):
        k = int(torch.randint(3, 7, (1,)))
        items = torch.randn(k, 8, device=device)
        yield items[0] + 0.1 * torch.randn(8, device=device), items, 0


def batch_loss(model, queries):
    """Queries have different numbers of candidates, so they go one at a time."""
    losses = []
    for q, items, positive in queries:
        losses.append(ranking_loss(model(q, items), positive))
    return torch.stack(losses).mean()


model = PointerScorer().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(4):
    loss = batch_loss(model, make_queries(6))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(f"step {step}  loss {loss.item():.4f}")
