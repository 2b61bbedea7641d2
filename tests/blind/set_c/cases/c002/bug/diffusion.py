import torch
import torch.nn.functional as F


class GaussianDiffusion:
    """Forward process and training loss of a DDPM."""

    def __init__(self, timesteps=100, beta_start=1e-4, beta_end=0.02, device="cpu"):
        self.timesteps = timesteps
        betas = torch.linspace(beta_start, beta_end, timesteps, device=device)
        self.alpha_bar = torch.cumprod(1.0 - betas, dim=0)

    def q_sample(self, x0, t, noise):
        a = self.alpha_bar[t].view(-1, 1, 1, 1)
        return a.sqrt() * x0 + (1 - a).sqrt() * noise

    def loss(self, net, x0):
        t = torch.randint(0, self.timesteps, (x0.size(0),), device=x0.device)
        noise = torch.randn(x0.shape)
        xt = self.q_sample(x0, t, noise)
        return F.mse_loss(net(xt, t), noise)
