import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from meters import Average, IoU


class Blobs(Dataset):
    def __init__(self, n, size=12):
        self.n, self.size = n, size

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        img = torch.rand(3, self.size, self.size, generator=g)
        return {"image": img, "mask": (img.sum(0) > 1.5).long()}


class UNetish(nn.Module):
    def __init__(self, c=8, n=2):
        super().__init__()
        self.down = nn.Conv2d(3, c, 3, stride=2, padding=1)
        self.mid = nn.Conv2d(c, c, 3, padding=1)
        self.up = nn.ConvTranspose2d(c, c, 2, stride=2)
        self.out = nn.Conv2d(c + 3, n, 1)

    def forward(self, x):
        h = F.relu(self.mid(F.relu(self.down(x))))
        return self.out(torch.cat([self.up(h), x], 1))


def validate(model, loader, device):
    model.eval()
    loss_m, iou = Average(), IoU(2)
    with torch.no_grad():
        for b in loader:
            x, y = b["image"].to(device), b["mask"].to(device)
            out = model(x)
            loss_m.update(F.cross_entropy(out, y).item(), len(x))
            iou.update(out, y)
    return {"loss": loss_m.value(), "iou": iou.value()}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = UNetish().to(device)
    opt = torch.optim.Adam(net.parameters(), 1e-2)
    tr, va = DataLoader(Blobs(24), 8, shuffle=True), DataLoader(Blobs(8), 4)
    for epoch in range(2):
        net.train()
        for b in tr:
            loss = F.cross_entropy(net(b["image"].to(device)), b["mask"].to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, validate(net, va, device))


if __name__ == "__main__":
    main()
