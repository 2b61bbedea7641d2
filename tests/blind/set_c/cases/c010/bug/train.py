import torch
from torch import nn

from history import History
from losses import elbo


class VAE(nn.Module):
    def __init__(self, dim=20, latent=3):
        super().__init__()
        self.body = nn.Linear(dim, 12)
        self.mu = nn.Linear(12, latent)
        self.logvar = nn.Linear(12, latent)
        self.dec = nn.Linear(latent, dim)

    def forward(self, x):
        h = torch.tanh(self.body(x))
        mu, logvar = self.mu(h), self.logvar(h)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.dec(z), mu, logvar


def main(steps=6, beta=0.5):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = VAE().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    history = History()
    for step in range(steps):
        x = torch.rand(8, 20, device=device)
        recon, mu, logvar = model(x)
        loss, rec, kl = elbo(recon, x, mu, logvar, beta)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history.add(loss=loss, reconstruction=rec, kl=kl)
        if step % 3 == 2:
            print(step, history.summary())
    return history


if __name__ == "__main__":
    main()
