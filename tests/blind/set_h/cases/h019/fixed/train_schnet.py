import torch
from torch import nn
import torch.nn.functional as F

from config import SchNetConfig
from layers import Interaction, RadialBasis


class SchNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.emb = nn.Embedding(cfg.species, cfg.width)
        self.rbf = RadialBasis(cfg.cutoff, cfg.train_centers)
        self.layers = nn.ModuleList(Interaction(cfg.width, self.rbf.size) for _ in range(cfg.interactions))
        self.readout = nn.Linear(cfg.width, 1)

    def forward(self, z, pos):
        dist = (pos.unsqueeze(2) - pos.unsqueeze(1)).square().sum(-1).add(1e-6).sqrt()
        rbf = self.rbf(dist)
        h = self.emb(z)
        for layer in self.layers:
            h = layer(h, rbf)
        return self.readout(h).sum(1).squeeze(-1)


def molecules(n, atoms, species, device):
    return torch.randint(0, species, (n, atoms), device=device), torch.randn(n, atoms, 3, device=device) * 2


def main(cfg=SchNetConfig()):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SchNet(cfg).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=cfg.lr)
    for step in range(6):
        z, pos = molecules(8, 5, cfg.species, device)
        energy = pos.square().sum((1, 2)) / 10
        loss = F.mse_loss(model(z, pos), energy)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("loss", loss.item())


if __name__ == "__main__":
    main()
