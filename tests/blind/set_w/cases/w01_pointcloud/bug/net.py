import torch
from torch import nn
from ops import farthest_points, group


class SetAbstraction(nn.Module):
    def __init__(self, cin, cout, points, k):
        super().__init__()
        self.points, self.k = points, k
        self.mlp = nn.Sequential(nn.Linear(cin, cout), nn.ReLU(), nn.Linear(cout, cout))

    def forward(self, xyz, feats):
        keep = farthest_points(xyz, self.points)
        centres = torch.gather(xyz, 1, keep[..., None].expand(-1, -1, 3))
        g = group(xyz, feats, centres, self.k)
        return centres, self.mlp(g).amax(2)


class PointNet2(nn.Module):
    def __init__(self, classes):
        super().__init__()
        self.sa1 = SetAbstraction(3, 16, 16, 8)
        self.sa2 = SetAbstraction(16, 32, 4, 4)
        self.head = nn.Linear(32, classes)

    def forward(self, xyz):
        c, f = self.sa1(xyz, xyz)
        c, f = self.sa2(c, f)
        return self.head(f.amax(1))
