import torch
import torch.nn as nn
import torch.nn.functional as F


class Matcher(nn.Module):
    def __init__(self, d=12, k=6):
        super().__init__()
        self.proj = nn.Linear(d, k)

    def forward(self, x):
        return F.normalize(self.proj(x), dim=-1)


def triplet(anchor, pos, neg, margin=0.2):
    return F.relu((anchor - pos).pow(2).sum() - (anchor - neg).pow(2).sum() + margin)


def batch_loss(model, triplets):
    losses = []
    for a, p, n in triplets:
        losses.append(triplet(model(a), model(p), model(n)))
    return torch.stack(losses).mean()


def train(model, steps=100, lr=0.1):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model.to(device).train()
    optimizer = torch.optim.SGD(model.parameters(), lr=lr)
    for step in range(steps):
        triplets = [tuple(torch.randn(12, device=device) for _ in range(3)) for _ in range(8)]
        loss = batch_loss(model, triplets)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 20 == 0:
            print(step, loss.item())


if __name__ == "__main__":
    train(Matcher())
