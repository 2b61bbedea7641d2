import torch
import torch.nn as nn
import torch.nn.functional as F

from data import pairs
from utils import count, send


class Siamese(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.bag = nn.Embedding(vocab, dim)
        self.score = nn.Linear(2 * dim, 1)

    def encode(self, ids):
        return self.bag(ids).mean(1)

    def forward(self, left, right):
        a, b = self.encode(left), self.encode(right)
        return self.score(torch.cat([(a - b).abs(), a * b], dim=-1)).squeeze(-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Siamese().to(device)
    print(count(model), "parameters")
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step, batch in enumerate(pairs(10)):
        batch = send(batch, device)
        logits = model(*batch["pair"])
        loss = F.binary_cross_entropy_with_logits(logits, batch["label"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 5 == 0:
            print(batch["source"], step, f"{loss.item():.3f}")


if __name__ == "__main__":
    main()
