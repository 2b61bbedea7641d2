import torch
from torch import nn


class StackedDecoder(nn.Module):
    """Layers are kept in a plain list for iteration and registered by name."""

    def __init__(self, dim, depth):
        super().__init__()
        self.stack = []
        for i in range(depth):
            layer = nn.Linear(dim, dim)
            self.add_module(f"layer{i}", layer)
            self.stack.append(layer)
        for i in range(depth):
            setattr(self, f"norm{i}", nn.LayerNorm(dim))
        self.depth = depth

    def forward(self, x):
        for i, layer in enumerate(self.stack):
            x = x + torch.relu(getattr(self, f"norm{i}")(layer(x)))
        return x


class BilinearPool(nn.Module):
    def __init__(self, dims, rank=4):
        super().__init__()
        self.maps = nn.ParameterList(nn.Parameter(torch.randn(d, rank) * d**-0.5) for d in dims)
        layers = [nn.Linear(rank, rank), nn.ReLU()]
        layers.append(nn.Linear(rank, 1))
        self.head = nn.Sequential(*layers)

    def forward(self, *xs):
        out = 1
        for x, m in zip(xs, self.maps):
            out = out * (x @ m)
        return self.head(out)


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    dec, pool = StackedDecoder(6, 3).to(device), BilinearPool([6, 5]).to(device)
    x = torch.randn(2, 6, device=device)
    out = pool(dec(x), torch.randn(2, 5, device=device))
    out.mean().backward()
    print(len(list(dec.parameters())), out.shape)
