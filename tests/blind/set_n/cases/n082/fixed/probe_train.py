import torch
from torch import nn
from extract import Frozen


def train_probe(feats, labels, classes, epochs=2):
    probe = nn.Linear(feats.size(1), classes).to(feats.device)
    opt = torch.optim.SGD(probe.parameters(), lr=0.5)
    for _ in range(epochs):
        for f, y in zip(feats.split(8), labels.split(8)):
            loss = nn.functional.cross_entropy(probe(f), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    return probe


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
feats = Frozen(device).features([torch.randn(8, 9) for _ in range(3)])
labels = torch.randint(0, 4, (len(feats),), device=device)
print(train_probe(feats, labels, 4).weight.norm().item())
