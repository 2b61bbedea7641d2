import torch
import torch.nn as nn
import torch.nn.functional as F


def mlp(*sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.LeakyReLU(0.2)]
    return nn.Sequential(*layers[:-1])


class AmpGan:
    def __init__(self, device):
        self.device = device
        self.g = mlp(4, 24, 2).to(device)
        self.d = mlp(2, 24, 1).to(device)
        self.opt_g = torch.optim.Adam(self.g.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.opt_d = torch.optim.Adam(self.d.parameters(), lr=2e-4, betas=(0.5, 0.999))
        self.scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")

    def amp(self):
        return torch.autocast(self.device.type)

    def step_d(self, real, fake):
        with self.amp():
            loss = F.softplus(-self.d(real)).mean() + F.softplus(self.d(fake.detach())).mean()
        self.opt_d.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.opt_d)
        nn.utils.clip_grad_norm_(self.d.parameters(), 5.0)
        self.scaler.step(self.opt_d)
        return loss.detach()

    def step_g(self, fake):
        with self.amp():
            loss = F.softplus(-self.d(fake)).mean()
        self.opt_g.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.opt_g)
        return loss.detach()

    def step(self, real):
        z = torch.randn(len(real), 4, device=self.device)
        with self.amp():
            fake = self.g(z)
        losses = self.step_d(real, fake), self.step_g(fake)
        self.scaler.update()
        return losses


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    gan = AmpGan(device)
    for it in range(6):
        angle = torch.rand(32, device=device) * 6.2832
        real = torch.stack([angle.cos(), angle.sin()], dim=1)
        d, g = gan.step(real)
    print(f"d {d.item():.3f} g {g.item():.3f}")


if __name__ == "__main__":
    main()
