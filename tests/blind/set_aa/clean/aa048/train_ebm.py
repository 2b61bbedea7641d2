import torch

from ebm.energy import Energy
from ebm.langevin import Sampler
from ebm.objective import contrastive_divergence


def two_blobs(n):
    side = torch.randint(0, 2, (n, 1)) * 2.0 - 1.0
    return side + 0.15 * torch.randn(n, 2)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Energy().to(device)
    sampler = Sampler(model)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.0, 0.999))
    gaps = []
    for it in range(5):
        real = two_blobs(32).to(device)
        fake = sampler.draw(32, device)
        loss, parts = contrastive_divergence(model, real, fake)
        opt.zero_grad()
        loss.backward()
        opt.step()
        gaps.append(parts["fake"].mean() - parts["real"].mean())
    print("energy gaps", [round(g, 4) for g in torch.stack(gaps).tolist()])


main()
