import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, x, mask):
        weights = torch.exp(torch.tanh(self.score(x)).squeeze(-1))
        weights = weights * mask
        weights = weights / weights.sum(dim=1, keepdim=True)
        return (weights.unsqueeze(-1) * x).sum(dim=1)


class BagClassifier(nn.Module):
    """Multiple-instance learning: one label for a bag of instances."""

    def __init__(self, inputs=6, dim=8, classes=2):
        super().__init__()
        self.embed = nn.Sequential(nn.Linear(inputs, dim), nn.ReLU())
        self.pool = AttentionPool(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, bags, mask):
        return self.head(self.pool(self.embed(bags), mask))


def collate(bags):
    longest = max(len(b) for b, _ in bags)
    x = torch.zeros(len(bags), longest, bags[0][0].size(1))
    mask = torch.zeros(len(bags), longest)
    for i, (b, _) in enumerate(bags):
        x[i, :len(b)] = b
        mask[i, :len(b)] = 1
    return x, mask, torch.tensor([y for _, y in bags])


def make_bag():
    n = int(torch.randint(3, 9, (1,)))
    x = torch.randn(n, 6)
    return x, int((x[:, 0] > 1.2).any())


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = torch.utils.data.DataLoader([make_bag() for _ in range(64)], batch_size=16, collate_fn=collate)
model = BagClassifier().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(3):
    for bags, mask, labels in loader:
        bags, mask, labels = bags.to(device), mask.to(device), labels.to(device)
        loss = F.cross_entropy(model(bags, mask), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())
