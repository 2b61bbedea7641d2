import torch
from torch import nn

from logger import MetricLogger


class AutoEncoder(nn.Module):
    def __init__(self, inputs=12, latent=3):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(inputs, 16), nn.ReLU(), nn.Linear(16, latent))
        self.decoder = nn.Sequential(nn.Linear(latent, 16), nn.ReLU(), nn.Linear(16, inputs))

    def forward(self, x):
        z = self.encoder(x)
        return self.decoder(z), z


def covariance_penalty(z):
    z = z - z.mean(dim=0)
    cov = z.t() @ z / (z.size(0) - 1)
    off = cov - torch.diag(torch.diagonal(cov))
    return off.pow(2).sum() / z.size(1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = AutoEncoder().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    warm = torch.optim.lr_scheduler.LinearLR(opt, start_factor=0.1, total_iters=5)
    logger = MetricLogger()
    for _ in range(10):
        x = torch.randn(16, 12, device=device)
        recon, z = model(x)
        mse = (recon - x).pow(2).mean()
        penalty = covariance_penalty(z)
        loss = mse + 0.1 * penalty
        opt.zero_grad()
        loss.backward()
        opt.step()
        warm.step()
        logger.update(loss=loss, mse=mse, penalty=penalty)


if __name__ == "__main__":
    main()
