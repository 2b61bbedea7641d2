import torch
from torch import nn


class PrototypeNet(nn.Module):
    """Classifies by distance to learned class prototypes."""

    def __init__(self, d_in, classes, d_proto=4, device=None):
        super().__init__()
        device = device or torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.embed = nn.Sequential(nn.Linear(d_in, 16), nn.ReLU(), nn.Linear(16, d_proto)).to(device)
        self.prototypes = nn.Parameter(torch.randn(classes, d_proto)).to(device)
        self.scale = nn.Parameter(torch.tensor(5.0, device=device))

    def forward(self, x):
        z = self.embed(x)
        return -self.scale * torch.cdist(z, self.prototypes)


def episode(n_way, k_shot, dim, device):
    centers = torch.randn(n_way, dim, device=device) * 3
    x = centers.repeat_interleave(k_shot, 0) + torch.randn(n_way * k_shot, dim, device=device)
    y = torch.arange(n_way, device=device).repeat_interleave(k_shot)
    return x, y


def main(iterations=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = PrototypeNet(8, 3, device=device)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for i in range(iterations):
        x, y = episode(3, 5, 8, device)
        loss = nn.functional.cross_entropy(net(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(i, loss.item())


if __name__ == "__main__":
    main()
