import torch
import torch.nn as nn
import torch.nn.functional as F


def pick_devices():
    n = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if n >= 2:
        return torch.device("cuda:0"), torch.device("cuda:1")
    one = torch.device("cuda:0" if n else "cpu")
    return one, one


class SplitAutoencoder(nn.Module):
    """Encoder on the first device, decoder on the second; do not call .to() on it."""

    def __init__(self, d, code, devices):
        super().__init__()
        self.first, self.second = devices
        self.encoder = nn.Sequential(nn.Linear(d, 64), nn.ReLU(), nn.Linear(64, code)).to(self.first)
        self.decoder = nn.Sequential(nn.Linear(code, 64), nn.ReLU(), nn.Linear(64, d)).to(self.second)

    def forward(self, x):
        z = self.encoder(x.to(self.first))
        return self.decoder(z.to(self.second)), z


def loss_terms(recon, z, x):
    rec = F.mse_loss(recon, x.to(recon.device))
    sparse = z.abs().mean().to(recon.device)
    return rec + 0.01 * sparse, {"rec": rec.item(), "sparse": sparse.item()}


def main():
    model = SplitAutoencoder(20, 4, pick_devices())
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    data = torch.randn(64, 3) @ torch.randn(3, 20)
    for epoch in range(2):
        for x in data[torch.randperm(64)].split(16):
            recon, z = model(x)
            loss, logs = loss_terms(recon, z, x)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, logs)


if __name__ == "__main__":
    main()
