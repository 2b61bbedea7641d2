import torch
from torch import nn

from losses import Charbonnier, LossList, Sobel


class Denoiser(nn.Module):
    def __init__(self, c=4):
        super().__init__()
        self.a, self.b = nn.Conv2d(1, c, 3, padding=1), nn.Conv2d(c, 1, 3, padding=1)

    def forward(self, x):
        return x - self.b(nn.functional.leaky_relu(self.a(x), 0.1))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Denoiser().to(device)
    criterion = LossList(pixel=Charbonnier(), edge=Sobel()).to(device)
    criterion.weights["edge"] = 0.1
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    running = {"pixel": 0.0, "edge": 0.0}
    for _ in range(3):
        clean = torch.rand(2, 1, 8, 8, device=device)
        loss = criterion(model(clean + 0.1 * torch.randn_like(clean)), clean)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for name in running:
            running[name] += criterion.last[name]
    print(running)


if __name__ == "__main__":
    main()
