import torch
import torch.nn as nn


class Inverter:
    """Optimises a latent for a given image; the latent is made on the model's device."""

    def __init__(self, decoder, steps=15, lr=0.1):
        self.decoder = decoder.eval().requires_grad_(False)
        self.steps, self.lr = steps, lr

    @property
    def device(self):
        return next(self.decoder.parameters()).device

    def start(self, n, dim, mean=None):
        z = torch.zeros(n, dim) if mean is None else mean.expand(n, dim).clone()
        return z.to(self.device).requires_grad_(True)

    def __call__(self, target, dim=6, mean=None):
        target = target.to(self.device)
        z = self.start(len(target), dim, mean)
        scale = torch.ones(1, device=self.device, requires_grad=True)
        opt = torch.optim.Adam([{"params": [z]}, {"params": [scale], "lr": self.lr / 10}], lr=self.lr)
        sched = torch.optim.lr_scheduler.ExponentialLR(opt, 0.97)
        for _ in range(self.steps):
            opt.zero_grad()
            loss = (scale * self.decoder(z) - target).pow(2).mean() + 1e-3 * z.pow(2).mean()
            loss.backward()
            opt.step()
            sched.step()
        return z.detach().cpu(), loss.item()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(0)
    decoder = nn.Sequential(nn.Linear(6, 24), nn.Tanh(), nn.Linear(24, 16)).to(device)
    with torch.no_grad():
        true = torch.randn(5, 6)
        images = decoder(true.to(device))
    for name, mean in (("zeros", None), ("mean", true.mean(0))):
        z, err = Inverter(decoder)(images, mean=mean)
        print(name, round(err, 4), (z - true).norm().item())


main()
