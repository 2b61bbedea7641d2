import torch
import torch.nn as nn
import torch.nn.functional as F

from vq import VQ


class VQVAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(12, 32), nn.ReLU(), nn.Linear(32, 8))
        self.vq = VQ()
        self.dec = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 12))

    def forward(self, x):
        q, commit, ppl = self.vq(self.enc(x))
        return self.dec(q), commit, ppl


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = VQVAE().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
    protos = torch.randn(6, 12)
    for step in range(20):
        x = (protos[torch.randint(6, (64,))] + 0.1 * torch.randn(64, 12)).to(device)
        recon, commit, ppl = model(x)
        loss = F.mse_loss(recon, x) + commit
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        if step % 5 == 0:
            print(f"{step} {loss.item():.3f} ppl {ppl.item():.1f}")


if __name__ == "__main__":
    main()
