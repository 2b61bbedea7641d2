import torch
import torch.nn as nn
import torch.nn.functional as F


class Pix2Pix:
    def __init__(self, device):
        self.device = device
        self.amp = device.type == "cuda"
        self.G = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 1, 3, padding=1)).to(device)
        self.D = nn.Sequential(nn.Conv2d(2, 8, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(8, 1, 3, padding=1)).to(device)
        self.og = torch.optim.Adam(self.G.parameters(), 2e-4, (0.5, 0.999))
        self.od = torch.optim.Adam(self.D.parameters(), 2e-4, (0.5, 0.999))
        self.scaler = torch.amp.GradScaler(device.type, enabled=self.amp)
        self.bce = nn.BCEWithLogitsLoss()

    def autocast(self):
        return torch.autocast(self.device.type, enabled=self.amp)

    def adv(self, pred, real):
        return self.bce(pred.float(), torch.full(pred.shape, float(real), device=pred.device))

    def step(self, a, b):
        a, b = a.to(self.device), b.to(self.device)
        with self.autocast():
            fake = self.G(a)
            d_loss = 0.5 * (self.adv(self.D(torch.cat([a, b], 1)), True)
                            + self.adv(self.D(torch.cat([a, fake.detach().to(a.dtype)], 1)), False))
        self.od.zero_grad()
        self.scaler.scale(d_loss).backward()
        self.scaler.step(self.od)

        for p in self.D.parameters():
            p.requires_grad_(False)
        with self.autocast():
            g_adv = self.adv(self.D(torch.cat([a, fake.to(a.dtype)], 1)), True)
            g_loss = g_adv + 100 * F.l1_loss(fake.float(), b)
        self.og.zero_grad()
        self.scaler.scale(g_loss).backward()
        self.scaler.step(self.og)
        self.scaler.update()
        for p in self.D.parameters():
            p.requires_grad_(True)
        return d_loss.detach(), g_loss.detach()


def sample(n=4):
    a = torch.rand(n, 1, 16, 16)
    return a, (a > 0.5).float()


if __name__ == "__main__":
    model = Pix2Pix(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    hist = [model.step(*sample()) for _ in range(5)]
    d, g = (torch.stack(t).float().cpu() for t in zip(*hist))
    print(d.mean().item(), g.numpy())
