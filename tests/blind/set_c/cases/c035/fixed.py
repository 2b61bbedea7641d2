import torch


class DDIMSampler:
    def __init__(self, net, steps, beta_min=1e-4, beta_max=2e-2):
        self.net = net
        self.steps = steps
        self.alpha_bar = (1 - torch.linspace(beta_min, beta_max, steps)).cumprod(0).tolist()

    def predict_x0(self, x, eps, a):
        return (x - (1 - a) ** 0.5 * eps) / a**0.5

    @torch.no_grad()
    def sample(self, shape, device, seed=None, eta=0.0):
        generator = torch.Generator(device=device)
        if seed is not None:
            generator.manual_seed(seed)
        x = torch.randn(shape, generator=generator, device=device)
        for i in reversed(range(self.steps)):
            a = self.alpha_bar[i]
            prev = self.alpha_bar[i - 1] if i else 1.0
            eps = self.net(x)
            x0 = self.predict_x0(x, eps, a).clamp(-1, 1)
            sigma = eta * ((1 - prev) / (1 - a) * (1 - a / prev)) ** 0.5
            x = prev**0.5 * x0 + max(1 - prev - sigma**2, 0.0) ** 0.5 * eps
        return x


def to_images(x):
    return ((x + 1) * 127.5).round().clamp(0, 255).to(torch.uint8).cpu().permute(0, 2, 3, 1)
