import torch


class DDPMSchedule:
    def __init__(self, num_steps, beta=(1e-4, 0.02), device="cpu"):
        betas = torch.linspace(*beta, num_steps, device=device)
        self.alphas = 1 - betas
        self.bars = torch.cumprod(self.alphas, 0)
        self.sigmas = betas.sqrt()

    def __len__(self):
        return len(self.alphas)

    def reverse(self, x, eps, t, noise):
        coef = (1 - self.alphas[t]) / (1 - self.bars[t]).sqrt()
        mean = (x - coef * eps) / self.alphas[t].sqrt()
        return mean if t == 0 else mean + self.sigmas[t] * noise
