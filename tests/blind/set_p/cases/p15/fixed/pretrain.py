import torch
import torch.nn as nn

from losses import info_nce, variance_penalty


class Projector(nn.Module):
    def __init__(self, inputs=10, width=32, out=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(inputs, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Linear(width, out)
        )

    def forward(self, x):
        return self.net(x)


def augment(x):
    return x + 0.1 * torch.randn_like(x)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = torch.randn(64, 10)
    model = Projector().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        for x in data.split(16):
            x = x.to(device)
            a, b = model(augment(x)), model(augment(x))
            loss = info_nce(a, b) + 0.1 * variance_penalty(a)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print("epoch", epoch, "loss", loss.item())


if __name__ == "__main__":
    main()
