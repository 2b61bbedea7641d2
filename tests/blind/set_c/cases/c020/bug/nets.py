from torch import nn


def mlp(d_in, hidden, d_out, depth=2):
    layers = [nn.Linear(d_in, hidden), nn.ReLU()]
    for _ in range(depth - 1):
        layers += [nn.Linear(hidden, hidden), nn.ReLU()]
    layers.append(nn.Linear(hidden, d_out))
    return nn.Sequential(*layers)
