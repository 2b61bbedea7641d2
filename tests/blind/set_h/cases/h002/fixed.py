import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
NUM_QUERIES = 8


class ShapesDataset(Dataset):
    def __init__(self, n=32):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        image = torch.rand(3, 32, 32, generator=g)
        k = 1 + i % 3
        xy = torch.rand(k, 2, generator=g) * 0.5
        wh = 0.1 + torch.rand(k, 2, generator=g) * 0.4
        target = {"boxes": torch.cat([xy, xy + wh], 1), "labels": torch.randint(0, 5, (k,), generator=g), "image_id": i}
        return image, target


def collate(batch):
    images, targets = zip(*batch)
    return torch.stack(images), list(targets)


class TinyDetector(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
        self.box = nn.Linear(32, NUM_QUERIES * 4)
        self.cls = nn.Linear(32, NUM_QUERIES * classes)

    def forward(self, images):
        f = self.body(images).flatten(1)
        return self.box(f).sigmoid().view(-1, NUM_QUERIES, 4), self.cls(f).view(f.size(0), NUM_QUERIES, -1)


def detection_loss(boxes, logits, targets):
    losses = []
    for b, l, t in zip(boxes, logits, targets):
        k = len(t["boxes"])
        reg = F.l1_loss(b[:k], t["boxes"])
        cls = F.cross_entropy(l[:k], t["labels"])
        losses.append(reg * 5 + cls)
    return torch.stack(losses).mean()


def prepare(images, targets):
    images = images.to(device, non_blocking=True)
    for t in targets:
        for key, value in t.items():
            if torch.is_tensor(value):
                t[key] = value.to(device, non_blocking=True)
    return images, targets


model = TinyDetector().to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
loader = DataLoader(ShapesDataset(), batch_size=4, shuffle=True, collate_fn=collate)
for epoch in range(2):
    running = 0.0
    for batch in loader:
        images, targets = prepare(*batch)
        boxes, logits = model(images)
        loss = detection_loss(boxes, logits, targets)
        opt.zero_grad()
        loss.backward()
        opt.step()
        running += loss.item()
    print(epoch, running / len(loader))
