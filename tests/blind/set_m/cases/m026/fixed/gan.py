from torch import nn


class Generator(nn.Module):
    def __init__(self, z_dim=16, out_dim=28):
        super().__init__()
        self.z_dim = z_dim
        self.net = nn.Sequential(nn.Linear(z_dim, 64), nn.LeakyReLU(0.2), nn.Linear(64, out_dim), nn.Tanh())

    def forward(self, z):
        return self.net(z)


def load_generator(state=None, device="cpu"):
    g = Generator()
    if state is not None:
        g.load_state_dict(state)
    return g.to(device).eval()
