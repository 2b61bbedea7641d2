import torch.nn as nn


class CentralCritic(nn.Module):
    def __init__(self, agents, obs, acts, hidden=32):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(agents * (obs + acts), hidden), nn.ReLU(), nn.Linear(hidden, agents))

    def forward(self, joint):
        return self.net(joint)
