from torch import nn


def mlp(*widths):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), nn.GELU()]
    return nn.Sequential(*layers[:-1])


class SimCLR(nn.Module):
    def __init__(self, d_in, d_hidden=32, d_out=16):
        super().__init__()
        self.backbone = mlp(d_in, d_hidden, d_hidden)
        self.projector = mlp(d_hidden, d_hidden, d_out)

    def forward(self, x):
        return self.projector(self.backbone(x))
