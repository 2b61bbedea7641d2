import torch
from torch import nn


class ViT(nn.Module):
    def __init__(self, size=8, patch=4, dim=8, classes=3):
        super().__init__()
        n = (size // patch) ** 2
        self.patch = nn.Conv2d(1, dim, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, n + 1, dim) * 0.02)
        self.norm, self.qkv, self.head = nn.LayerNorm(dim), nn.Linear(dim, 3 * dim), nn.Linear(dim, classes)
        self.attn = None

    def resize_pos(self, n):
        if n + 1 == self.pos.size(1):
            return self.pos
        grid = self.pos[:, 1:].transpose(1, 2)
        grid = nn.functional.interpolate(grid, size=n, mode="linear").transpose(1, 2)
        return torch.cat([self.pos[:, :1], grid], 1)

    def forward(self, img):
        x = self.patch(img).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(len(x), -1, -1), x], 1) + self.resize_pos(x.size(1))
        q, k, v = self.qkv(self.norm(x)).chunk(3, -1)
        a = (q @ k.transpose(1, 2) * q.size(-1) ** -0.5).softmax(-1)
        self.attn = a.detach()
        return self.head((x + a @ v)[:, 0])


def mixup(x, y, classes, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample().item()
    perm = torch.randperm(len(x), device=x.device)
    hot = nn.functional.one_hot(y, classes).float()
    return lam * x + (1 - lam) * x[perm], lam * hot + (1 - lam) * hot[perm]


def cutout(x, size=3):
    out = x.clone()
    top, left = torch.randint(0, x.size(-1) - size, (2,)).tolist()
    out[..., top : top + size, left : left + size] = 0
    return out


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ViT().to(device)
    optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
    for _ in range(2):
        x, y = torch.rand(4, 1, 8, 8, device=device), torch.randint(0, 3, (4,), device=device)
        x, soft = mixup(cutout(x), y, 3)
        loss = -(net(x).log_softmax(-1) * soft).sum(-1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(loss.item(), net.attn.mean(0)[0, 1:].cpu().numpy().round(2))
