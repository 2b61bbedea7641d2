import torch.nn as nn


def orthogonal(layer, gain=1.0):
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


class PolicyNet(nn.Module):
    def __init__(self, obs_dim, n_actions, hidden=16):
        super().__init__()
        self.net = nn.Sequential(
            orthogonal(nn.Linear(obs_dim, hidden)), nn.Tanh(), orthogonal(nn.Linear(hidden, n_actions), 0.01)
        )

    def forward(self, obs):
        return self.net(obs)
