import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class Backbone(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        self.body = nn.Sequential(nn.Conv2d(width, width, 3, padding=1), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        self.pool = nn.AdaptiveAvgPool2d(1)

    def forward(self, x):
        h = self.stem(x)
        return self.pool(h + self.body(h)).flatten(1)


class MomentumContrast(nn.Module):
    def __init__(self, width=16, dim=12, queue=32, momentum=0.99, temperature=0.2):
        super().__init__()
        self.query = nn.Sequential(Backbone(width), nn.Linear(width, dim))
        self.key = copy.deepcopy(self.query).requires_grad_(False)
        self.momentum, self.temperature = momentum, temperature
        self.register_buffer("queue", F.normalize(torch.randn(dim, queue), dim=0))
        self.register_buffer("ptr", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def update_key(self):
        for q, k in zip(self.query.parameters(), self.key.parameters()):
            k.mul_(self.momentum).add_(q, alpha=1 - self.momentum)

    @torch.no_grad()
    def enqueue(self, keys):
        start = int(self.ptr)
        n = keys.size(0)
        self.queue[:, start : start + n] = keys.t()
        self.ptr.fill_((start + n) % self.queue.size(1))

    def forward(self, a, b):
        q = F.normalize(self.query(a), dim=1)
        with torch.no_grad():
            self.update_key()
            k = F.normalize(self.key(b), dim=1)
        positive = (q * k).sum(1, keepdim=True)
        negative = q @ self.queue.clone()
        logits = torch.cat([positive, negative], dim=1) / self.temperature
        labels = torch.zeros(len(a), dtype=torch.long, device=a.device)
        loss = F.cross_entropy(logits, labels)
        self.enqueue(k)
        return loss


def augment(x):
    flip = torch.rand(len(x), 1, 1, 1, device=x.device) < 0.5
    return torch.where(flip, x.flip(-1), x) + 0.1 * torch.randn_like(x)


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MomentumContrast().to(device)
    optimizer = torch.optim.SGD(model.query.parameters(), lr=0.03, momentum=0.9)
    for step in range(6):
        images = torch.rand(8, 3, 12, 12, device=device)
        loss = model(augment(images), augment(images))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 3 == 0:
            print(step, loss.item())
