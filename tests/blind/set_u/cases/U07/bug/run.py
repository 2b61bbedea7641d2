import torch

from stats import ActivationStats
from vae import VAE

device = "cuda" if torch.cuda.is_available() else "cpu"
vae = VAE().to(device)
stats = ActivationStats().watch("encoder", vae.encoder)
opt = torch.optim.Adam(vae.parameters(), lr=1e-3)
for step in range(6):
    x = torch.randn(32, 30, device=device)
    opt.zero_grad()
    vae.elbo(x).backward()
    opt.step()
stats.close()
report = stats.report()
for name, (mean, dead) in report.items():
    print(f"{name}: mean {mean:+.3f}, dead {dead:.1%}")
