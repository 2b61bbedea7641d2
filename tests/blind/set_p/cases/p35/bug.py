import torch
import torch.nn as nn
import torch.nn.functional as F


class Extractor(nn.Module):
    def __init__(self, out=24):
        super().__init__()
        self.conv = nn.Sequential(
            nn.Conv2d(3, 12, 3, stride=2), nn.ReLU(), nn.Conv2d(12, out, 3, stride=2), nn.ReLU()
        )

    def forward(self, x):
        return self.conv(x).mean(dim=(2, 3))


@torch.inference_mode()
def extract(extractor, images, device, batch=16):
    extractor.eval()
    feats = [extractor(chunk.to(device)) for chunk in images.split(batch)]
    return F.normalize(torch.cat(feats), dim=1)


def linear_probe(train, labels, classes, epochs=4, lr=0.5):
    probe = nn.Linear(train.size(1), classes).to(train.device)
    optimizer = torch.optim.SGD(probe.parameters(), lr=lr, momentum=0.9)
    for epoch in range(epochs):
        for x, y in zip(train.split(20), labels.split(20)):
            logits = probe(x)
            loss = F.cross_entropy(logits, y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    return probe


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    extractor = Extractor().to(device)
    images = torch.rand(60, 3, 20, 20)
    labels = (images.mean(dim=(1, 2, 3)) > 0.5).long().to(device)
    train = extract(extractor, images, device)
    probe = linear_probe(train, labels, 2)
    with torch.no_grad():
        acc = (probe(train).argmax(1) == labels).float().mean()
    print(f"probe accuracy {acc.item():.3f}")


if __name__ == "__main__":
    main()
