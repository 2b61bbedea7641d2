import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from features import Patches, extract


def linear_probe(feats, labels, n_class, steps, lr=0.5):
    head = nn.Linear(feats.size(1), n_class)
    optimizer = torch.optim.SGD(head.parameters(), lr=lr, momentum=0.9)
    for _ in range(steps):
        loss = F.cross_entropy(head(feats), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return head, loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--classes", type=int, default=3)
    args = parser.parse_args()
    encoder = Patches(4, 16)
    images = torch.randn(40, 1, 8, 8)
    labels = torch.randint(0, args.classes, (40,))
    feats = extract(encoder, images)
    head, loss = linear_probe(feats[:30], labels[:30], args.classes, args.steps)
    with torch.no_grad():
        accuracy = (head(feats[30:]).argmax(1) == labels[30:]).float().mean()
    print(f"loss {loss:.3f} accuracy {accuracy.item():.3f}")


if __name__ == "__main__":
    main()
