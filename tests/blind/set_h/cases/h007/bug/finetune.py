import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from lora import inject


class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.out = nn.Linear(dim, dim)

    def forward(self, x):
        return x + self.out(F.scaled_dot_product_attention(self.q(x), self.k(x), self.v(x)))


class Encoder(nn.Module):
    def __init__(self, vocab=64, dim=32, depth=2):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.layers = nn.Sequential(*[Attention(dim) for _ in range(depth)])
        self.head = nn.Linear(dim, 2)

    def forward(self, ids):
        return self.head(self.layers(self.emb(ids)).mean(1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rank", type=int, default=4)
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = parser.parse_args()

    model = Encoder().to(args.device)
    for p in model.parameters():
        p.requires_grad_(False)
    inject(model, args.rank)
    trainable = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(trainable, lr=5e-4)
    for step in range(6):
        ids = torch.randint(0, 64, (8, 10), device=args.device)
        labels = (ids.sum(1) % 2).long()
        loss = F.cross_entropy(model(ids), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("adapters:", sum(p.numel() for p in trainable), "loss:", loss.item())


if __name__ == "__main__":
    main()
