import torch
from torch import nn
from perceptual import Perceptual


class Transformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.InstanceNorm2d(8, affine=True), nn.ReLU(),
                                  nn.Conv2d(8, 3, 3, padding=1))

    def forward(self, x):
        return x + self.body(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Transformer().to(device)
    criterion = Perceptual().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    style = torch.rand(1, 3, 16, 16, device=device)
    for step in range(2):
        x = torch.rand(2, 3, 16, 16, device=device)
        loss = criterion(net(x), x, style)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    main()
