import torch
import torch.nn.functional as F
from torch import nn

timesteps = 40
betas = torch.linspace(0.0001, 0.02, timesteps)
alphas_cumprod = torch.cumprod(1.0 - betas, axis=0)
sqrt_alphas_cumprod = torch.sqrt(alphas_cumprod)
sqrt_one_minus_alphas_cumprod = torch.sqrt(1.0 - alphas_cumprod)
posterior_variance = betas * (1.0 - F.pad(alphas_cumprod[:-1], (1, 0), value=1.0)) / (1.0 - alphas_cumprod)


def extract(a, t, x_shape):
    batch_size = t.shape[0]
    out = a.gather(-1, t.cpu())
    return out.reshape(batch_size, *((1,) * (len(x_shape) - 1))).to(t.device)


def q_sample(x_start, t, noise=None):
    if noise is None:
        noise = torch.randn_like(x_start)
    return (
        extract(sqrt_alphas_cumprod, t, x_start.shape) * x_start
        + extract(sqrt_one_minus_alphas_cumprod, t, x_start.shape) * noise
    )


class TinyUnet(nn.Module):
    def __init__(self, ch=8):
        super().__init__()
        self.inp = nn.Conv2d(1, ch, 3, padding=1)
        self.emb = nn.Embedding(timesteps, ch)
        self.out = nn.Conv2d(ch, 1, 3, padding=1)

    def forward(self, x, t):
        h = self.inp(x) + self.emb(t)[:, :, None, None]
        return self.out(F.silu(h))


@torch.no_grad()
def p_sample_loop(model, shape):
    device = next(model.parameters()).device
    img = torch.randn(shape, device=device)
    for i in reversed(range(timesteps)):
        t = torch.full((shape[0],), i, device=device, dtype=torch.long)
        noise_level = extract(sqrt_one_minus_alphas_cumprod, t, shape)
        mean = (img - betas[i] * model(img, t) / noise_level) * (1.0 - betas[i]).rsqrt()
        if i > 0:
            mean = mean + extract(posterior_variance, t, shape).sqrt() * torch.randn_like(img)
        img = mean
    return img.cpu()


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = TinyUnet().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(4):
        batch = torch.rand(8, 1, 8, 8).to(device)
        t = torch.randint(0, timesteps, (8,), device=device).long()
        noise = torch.randn_like(batch)
        loss = F.smooth_l1_loss(model(q_sample(batch, t, noise), t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(p_sample_loop(model, (2, 1, 8, 8)).numpy().shape)
