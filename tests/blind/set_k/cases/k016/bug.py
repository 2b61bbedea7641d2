import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, n=24):
        g = torch.Generator().manual_seed(3)
        self.images = torch.randn(n, 1, 16, 16, generator=g)
        self.counts = torch.randint(1, 4, (n,), generator=g).tolist()

    def __len__(self):
        return len(self.counts)

    def __getitem__(self, i):
        k = self.counts[i]
        target = {"boxes": torch.rand(k, 4), "labels": torch.randint(0, 3, (k,))}
        return self.images[i], target


def collate(samples):
    images, targets = zip(*samples)
    return torch.stack(images), targets


class Counter(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 8, 3, stride=2), nn.ReLU(), nn.Flatten())
        self.box = nn.Linear(8 * 49, 4)
        self.cls = nn.Linear(8 * 49, 3)

    def forward(self, x):
        h = self.features(x)
        return self.box(h).sigmoid(), self.cls(h)


def criterion(boxes, logits, targets):
    loss = 0.0
    for box, logit, t in zip(boxes, logits, targets):
        loss = loss + F.l1_loss(box.expand_as(t["boxes"]), t["boxes"])
        loss = loss + F.cross_entropy(logit.expand(len(t["labels"]), -1), t["labels"])
    return loss / len(targets)


def train(device, epochs=2):
    model = Counter().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    loader = DataLoader(Blobs(), batch_size=6, shuffle=True, collate_fn=collate)
    for epoch in range(epochs):
        for images, targets in loader:
            images, targets = images.to(device), targets.to(device)
            loss = criterion(*model(images), targets)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, round(loss.item(), 4))


if __name__ == "__main__":
    train(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
