import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, n, size=12):
        self.n, self.size = n, size

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        mask = (torch.rand(self.size, self.size, generator=g) > 0.6).float()
        return mask[None] + 0.3 * torch.randn(1, self.size, self.size, generator=g), mask


class SegNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 1))

    def forward(self, x):
        return self.net(x).squeeze(1)


def iou(model, loader):
    model.eval()
    torch.set_grad_enabled(False)
    inter = union = 0.0
    for x, y in loader:
        p = model(x) > 0
        inter += (p & (y > 0)).sum().item()
        union += (p | (y > 0)).sum().item()
    return inter / max(union, 1.0)


def train_epoch(model, loader, opt):
    model.train()
    total = 0.0
    for x, y in loader:
        loss = nn.functional.binary_cross_entropy_with_logits(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return total / len(loader)


if __name__ == "__main__":
    train, val = DataLoader(Blobs(16), 8, shuffle=True), DataLoader(Blobs(8), 8)
    model = SegNet()
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        tr = train_epoch(model, train, opt)
        print(epoch, tr, iou(model, val))
