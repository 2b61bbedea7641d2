import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from features import extract


def linear_probe(feats, labels, classes, epochs=3, lr=0.1):
    head = nn.Linear(feats.size(1), classes).to(feats.device)
    optimizer = torch.optim.SGD(head.parameters(), lr=lr)
    for _ in range(epochs):
        for f, y in zip(feats.split(8), labels.split(8)):
            loss = nn.functional.cross_entropy(head(f), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return head


def main():
    device = "cuda" if torch.cuda.is_available() else "cpu"
    backbone = nn.Sequential(nn.Linear(20, 32), nn.GELU(), nn.LayerNorm(32)).to(device)
    loader = DataLoader(TensorDataset(torch.randn(24, 20), torch.randint(0, 3, (24,))), batch_size=8)
    feats, labels = extract(backbone, loader, device)
    head = linear_probe(feats, labels, 3)
    print(head.weight.norm().item())


if __name__ == "__main__":
    main()
