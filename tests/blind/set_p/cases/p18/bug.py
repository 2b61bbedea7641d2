import torch
import torch.nn as nn


def soft_dice(logits, target, eps=1.0):
    probs = torch.sigmoid(logits)
    pred = torch.round(probs)
    inter = (pred * target).sum(dim=(1, 2, 3))
    total = pred.sum(dim=(1, 2, 3)) + target.sum(dim=(1, 2, 3))
    return 1 - ((2 * inter + eps) / (total + eps)).mean()


class UNetLite(nn.Module):
    def __init__(self, ch=6):
        super().__init__()
        self.down = nn.Conv2d(1, ch, 3, padding=1)
        self.mid = nn.Conv2d(ch, ch, 3, padding=1)
        self.up = nn.Conv2d(2 * ch, 1, 3, padding=1)
        self.pool = nn.AvgPool2d(2)
        self.grow = nn.Upsample(scale_factor=2)

    def forward(self, x):
        a = torch.relu(self.down(x))
        b = torch.relu(self.mid(self.pool(a)))
        return self.up(torch.cat([a, self.grow(b)], dim=1))


def blobs(n, size=16):
    grid = torch.arange(size).float()
    cx, cy = torch.randint(4, size - 4, (2, n, 1, 1)).float()
    mask = ((grid[None, :, None] - cy) ** 2 + (grid[None, None, :] - cx) ** 2 < 9).float()
    mask = mask[:, None]
    return mask + 0.3 * torch.randn_like(mask), mask


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = UNetLite().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)

for it in range(8):
    image, mask = blobs(6)
    image, mask = image.to(device), mask.to(device)
    loss = soft_dice(net(image), mask)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(f"iter {it}: dice loss {loss.item():.3f}")
