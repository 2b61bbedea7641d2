import torch
import torch.nn as nn
import torch.nn.functional as F


class VAE(nn.Module):
    def __init__(self, d=20, h=32, z=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, h), nn.ReLU())
        self.mu, self.logvar = nn.Linear(h, z), nn.Linear(h, z)
        self.dec = nn.Sequential(nn.Linear(z, h), nn.ReLU(), nn.Linear(h, d))

    def reparameterize(self, mu, logvar):
        if not self.training:
            return mu
        std = torch.exp(0.5 * logvar)
        return mu + std * torch.empty_like(std).normal_()

    def forward(self, x):
        h = self.enc(x)
        mu, logvar = self.mu(h), self.logvar(h)
        return self.dec(self.reparameterize(mu, logvar)), mu, logvar


class KLAnneal:
    def __init__(self, warmup):
        self.warmup, self.n = warmup, 0

    def __call__(self):
        self.n += 1
        return min(1.0, self.n / self.warmup)


def elbo(recon, x, mu, logvar, beta):
    bce = F.binary_cross_entropy_with_logits(recon, x, reduction="none").sum(1)
    kld = -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1)
    return (bce + beta * kld).mean(), kld.mean()


def run_epoch(model, data, device, beta, opt=None):
    model.train(opt is not None)
    sums = torch.zeros(2, device=device)
    with torch.set_grad_enabled(opt is not None):
        for x in data.split(32):
            x = x.to(device)
            loss, kl = elbo(*(lambda out: (out[0], x, out[1], out[2]))(model(x)), beta)
            if opt is not None:
                opt.zero_grad()
                loss.backward()
                opt.step()
            sums += torch.stack([loss.detach(), kl.detach()])
    return (sums / (len(data) / 32)).tolist()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    protos = (torch.rand(4, 20) > 0.5).float()
    data = protos[torch.randint(4, (192,))]
    model = VAE().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    anneal = KLAnneal(3)
    for epoch in range(4):
        beta = anneal()
        tr = run_epoch(model, data[:160], device, beta, opt)
        te = run_epoch(model, data[160:], device, beta)
        print(epoch, tr, te)


if __name__ == "__main__":
    main()
