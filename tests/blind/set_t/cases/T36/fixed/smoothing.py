import math
import torch


class SmoothedClassifier:
    """Randomised smoothing with reproducible noise."""

    def __init__(self, base, classes, sigma=0.5, seed=0):
        self.base = base
        self.classes = classes
        self.sigma = sigma
        self.device = next(base.parameters()).device
        self.generator = torch.Generator(device=self.device)
        self.generator.manual_seed(seed)

    def noise(self, shape):
        return torch.randn(shape, generator=self.generator, device=self.device) * self.sigma

    @torch.no_grad()
    def votes(self, x, n, batch=32):
        counts = torch.zeros(self.classes, dtype=torch.long, device=self.device)
        while n > 0:
            k = min(n, batch)
            copies = x.expand(k, *x.shape)
            pred = self.base(copies + self.noise(copies.shape)).argmax(1)
            counts += torch.bincount(pred, minlength=self.classes)
            n -= k
        return counts

    def certify(self, x, n0=16, n=64, alpha=0.05):
        self.base.eval()
        guess = self.votes(x, n0).argmax().item()
        hits = self.votes(x, n)[guess].item()
        p = hits / n - math.sqrt(math.log(1 / alpha) / (2 * n))
        if p <= 0.5:
            return None, 0.0
        normal = torch.distributions.Normal(0.0, 1.0)
        return guess, self.sigma * normal.icdf(torch.tensor(p)).item()
