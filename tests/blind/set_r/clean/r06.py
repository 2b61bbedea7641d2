"""Sizing and building of networks that are too large to be initialised twice."""
import torch
import torch.nn as nn


class Wide(nn.Module):
    def __init__(self, n_in, width):
        super().__init__()
        self.inp = nn.Linear(n_in, width)
        self.hidden = nn.ModuleList(nn.Linear(width, width) for _ in range(3))
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        x = torch.relu(self.inp(x))
        for layer in self.hidden:
            x = x + torch.relu(layer(x))
        return self.out(x)

    def reset_parameters(self):
        for module in self.modules():
            if isinstance(module, nn.Linear):
                nn.init.xavier_uniform_(module.weight)
                nn.init.zeros_(module.bias)


def skeleton(n_in, width):
    with torch.device("meta"):
        return Wide(n_in, width)


def estimate(n_in, width):
    model = skeleton(n_in, width)
    out = model(torch.empty(1, n_in, device="meta"))
    return sum(p.numel() * p.element_size() for p in model.parameters()) + out.numel()


def materialise(n_in, width, device):
    model = skeleton(n_in, width)
    model = model.to_empty(device=device)
    model.reset_parameters()
    return model


if __name__ == "__main__":
    place = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for width in (8, 16, 32):
        print(width, estimate(5, width), "bytes")
    net = materialise(5, 16, place)
    with torch.inference_mode():
        print(net(torch.ones(2, 5, device=place)).tolist())
