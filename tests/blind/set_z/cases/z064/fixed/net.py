import torch
from torch import nn


class PoseNet(nn.Module):
    def __init__(self, joints=5, dim=10):
        super().__init__()
        self.joints = joints
        self.trunk = nn.Sequential(nn.Linear(dim, 20), nn.ReLU())
        self.coords = nn.Linear(20, 2 * joints)
        self.scores = nn.Linear(20, joints)

    def forward(self, x):
        h = self.trunk(x)
        return {"coords": self.coords(h).view(-1, self.joints, 2), "scores": self.scores(h).sigmoid()}
