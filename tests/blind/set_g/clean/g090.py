import torch
import torch.nn as nn
import torch.nn.functional as F


class GuidedSampler:
    """Ancestral sampling under no_grad; only the guidance needs a gradient."""

    def __init__(self, denoiser, classifier, steps=6, scale=1.5, device="cpu"):
        self.denoiser, self.classifier = denoiser, classifier
        self.steps, self.scale, self.device = steps, scale, device
        self.betas = torch.linspace(1e-3, 0.1, steps, device=device)
        self.alphas = 1 - self.betas
        self.alpha_bar = self.alphas.cumprod(0)

    def guidance(self, x, label):
        with torch.enable_grad():
            x = x.detach().requires_grad_(True)
            log_prob = F.log_softmax(self.classifier(x), dim=-1)
            chosen = log_prob.gather(1, label[:, None]).sum()
            return torch.autograd.grad(chosen, x)[0]

    @torch.no_grad()
    def sample(self, label, dim=4):
        x = torch.randn(len(label), dim, device=self.device)
        for t in reversed(range(self.steps)):
            tt = torch.full((len(x), 1), t / self.steps, device=self.device)
            eps = self.denoiser(torch.cat([x, tt], dim=1))
            mean = (x - self.betas[t] / (1 - self.alpha_bar[t]).sqrt() * eps) / self.alphas[t].sqrt()
            mean = mean + self.scale * self.betas[t] * self.guidance(x, label)
            noise = torch.randn_like(x) if t > 0 else torch.zeros_like(x)
            x = mean + self.betas[t].sqrt() * noise
        return x


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    denoiser = nn.Sequential(nn.Linear(5, 32), nn.SiLU(), nn.Linear(32, 4)).to(device).eval()
    classifier = nn.Sequential(nn.Linear(4, 16), nn.SiLU(), nn.Linear(16, 3)).to(device).eval()
    for net in (denoiser, classifier):
        net.requires_grad_(False)
    sampler = GuidedSampler(denoiser, classifier, device=device)
    label = torch.tensor([0, 1, 2, 1], device=device)
    samples = sampler.sample(label)
    print(samples.cpu().numpy().round(3))


if __name__ == "__main__":
    main()
