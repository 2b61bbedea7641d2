import torch
import torch.nn as nn
import torch.nn.functional as F

from features import FeatureExtractor


def linear_probe(features, labels, classes, epochs=3, lr=0.1):
    probe = nn.Linear(features.size(1), classes).to(features.device)
    optimizer = torch.optim.SGD(probe.parameters(), lr=lr, weight_decay=1e-4)
    scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, epochs)
    for epoch in range(epochs):
        logits = probe(features)
        loss = F.cross_entropy(logits, labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
    return (logits.argmax(1) == labels).float().mean().item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    backbone = nn.Sequential(nn.Flatten(), nn.Linear(48, 20), nn.ReLU(), nn.Linear(20, 12))
    extractor = FeatureExtractor(backbone, device)
    images = [torch.rand(8, 3, 4, 4) for _ in range(3)]
    labels = torch.randint(0, 3, (24,), device=device)
    features = extractor.extract(images)
    print("probe accuracy", linear_probe(features, labels, 3))


if __name__ == "__main__":
    main()
