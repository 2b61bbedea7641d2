import torch
import torch.nn.functional as F


def extract(table, t, shape):
    out = table.gather(-1, t.cpu())
    return out.reshape(t.shape[0], *((1,) * (len(shape) - 1))).to(t.device)


class GaussianDiffusion:
    def __init__(self, timesteps):
        self.T = timesteps
        betas = torch.linspace(1e-4, 0.02, timesteps)
        alphas = 1.0 - betas
        bar = torch.cumprod(alphas, 0)
        prev = F.pad(bar[:-1], (1, 0), value=1.0)
        self.betas = betas
        self.sqrt_recip = (1 / alphas).sqrt()
        self.sqrt_bar, self.sqrt_one_minus = bar.sqrt(), (1 - bar).sqrt()
        self.posterior_var = betas * (1 - prev) / (1 - bar)

    def q_sample(self, x0, t, noise):
        return extract(self.sqrt_bar, t, x0.shape) * x0 + extract(self.sqrt_one_minus, t, x0.shape) * noise

    def loss(self, model, x0):
        t = torch.randint(0, self.T, (x0.size(0),), device=x0.device).long()
        noise = torch.randn_like(x0)
        return F.smooth_l1_loss(model(self.q_sample(x0, t, noise), t), noise)

    @torch.no_grad()
    def p_sample(self, model, x, i):
        t = torch.full((x.size(0),), i, device=x.device, dtype=torch.long)
        mean = extract(self.sqrt_recip, t, x.shape) * (x - extract(self.betas, t, x.shape) * model(x, t) / extract(self.sqrt_one_minus, t, x.shape))
        if i == 0:
            return mean
        return mean + extract(self.posterior_var, t, x.shape).sqrt() * torch.randn_like(x)

    def sample(self, model, shape):
        x = torch.randn(shape, device=next(model.parameters()).device)
        frames = []
        for i in reversed(range(self.T)):
            x = self.p_sample(model, x, i)
            if i % 5 == 0:
                frames.append(x.cpu().numpy())
        return frames
