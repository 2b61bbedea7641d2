import torch
from torch import nn

from export import export_torchscript


class Regressor(nn.Module):
    def __init__(self, n_in=6):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(n_in, 24), nn.ELU(), nn.Linear(24, 1))

    def forward(self, x):
        return self.net(x).squeeze(-1)


def main(epochs=4, export_every=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Regressor().to(device)
    opt = torch.optim.SGD(model.parameters(), lr=1e-2)
    x = torch.randn(50, 6, device=device)
    y = x[:, 0] * x[:, 1]
    blobs = []
    for epoch in range(epochs):
        model.train()
        for xb, yb in zip(x.split(10), y.split(10)):
            opt.zero_grad()
            loss = nn.functional.mse_loss(model(xb), yb)
            loss.backward()
            opt.step()
        if (epoch + 1) % export_every == 0:
            blobs.append(export_torchscript(model, x[:2]))
        print(epoch, loss.item(), len(blobs))


if __name__ == "__main__":
    main()
