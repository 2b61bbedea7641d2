import torch
import torch.nn as nn


class TalkingAttention(nn.Module):
    def __init__(self, dim, heads=4, qk_scale=None):
        super().__init__()
        self.heads = heads
        self.scale = qk_scale or (dim // heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.mix = nn.Conv2d(heads, heads, 1)
        self.proj = nn.Linear(dim, dim)

    def project(self, x):
        b, n, d = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, d // self.heads)
        return qkv.permute(2, 0, 3, 1, 4).unbind(0)

    def forward(self, x):
        q, k, v = self.project(x)
        q = q * self.scale
        attn = self.mix(q @ k.transpose(-2, -1)).softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).flatten(2)
        return self.proj(x)


class Layer(nn.Module):
    def __init__(self, dim, ratio=2.0):
        super().__init__()
        hidden = int(dim * ratio)
        self.attn = TalkingAttention(dim)
        self.norms = nn.ModuleList([nn.LayerNorm(dim), nn.LayerNorm(dim)])
        self.ffn = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, x):
        x = x + self.attn(self.norms[0](x))
        return x + self.ffn(self.norms[1](x))


class PointCloudNet(nn.Module):
    def __init__(self, dim=32, depth=2, classes=4):
        super().__init__()
        self.lift = nn.Linear(3, dim)
        self.layers = nn.Sequential(*(Layer(dim) for _ in range(depth)))
        self.cls = nn.Linear(dim, classes)

    def forward(self, points):
        return self.cls(self.layers(self.lift(points)).amax(1))


def main():
    torch.manual_seed(0)
    net = PointCloudNet()
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=4)
    for _ in range(4):
        cloud, label = torch.randn(4, 20, 3), torch.randint(0, 4, (4,))
        loss = nn.functional.cross_entropy(net(cloud), label)
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        print(loss.item(), sched.get_last_lr())


if __name__ == "__main__":
    main()
