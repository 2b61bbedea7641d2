import torch
from torch import nn


class ValueNormalizer(nn.Module):
    def __init__(self, beta=0.99):
        super().__init__()
        self.beta = beta
        self.register_buffer("mean", torch.zeros(()))
        self.register_buffer("sq", torch.ones(()))
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))

    @torch.no_grad()
    def update(self, x):
        self.mean.mul_(self.beta).add_(x.mean(), alpha=1 - self.beta)
        self.sq.mul_(self.beta).add_(x.pow(2).mean(), alpha=1 - self.beta)
        self.steps += 1

    def forward(self, x):
        std = (self.sq - self.mean**2).clamp(min=1e-4).sqrt()
        return (x - self.mean) / std


class WorldModel(nn.Module):
    def __init__(self, obs=4, latent=6):
        super().__init__()
        self.enc, self.dec = nn.Linear(obs, latent), nn.Linear(latent, obs)
        self.cell = nn.GRUCell(latent, latent)
        self.latent = latent

    def rollout(self, obs_seq):
        h = torch.zeros(obs_seq.size(1), self.latent, device=obs_seq.device)
        loss = torch.zeros((), device=obs_seq.device)
        for obs, nxt in zip(obs_seq[:-1], obs_seq[1:]):
            h = self.cell(self.enc(obs), h)
            loss += nn.functional.mse_loss(self.dec(h), nxt)
        return loss / (obs_seq.size(0) - 1), h


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, norm = WorldModel().to(device), ValueNormalizer().to(device)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        seq = torch.randn(6, 3, 4, device=device).cumsum(0)
        norm.update(seq)
        loss, h = model.rollout(norm(seq))
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        optimizer.step()
        print(loss.item(), h.norm().item(), norm.steps.item())


if __name__ == "__main__":
    main()
