import torch


def target_score(model, x, target):
    return model(x).gather(1, target[:, None]).squeeze(1)


def input_saliency(model, x, target, samples=4, sigma=0.1):
    total = torch.zeros_like(x)
    for _ in range(samples):
        noisy = (x + sigma * torch.randn_like(x)).requires_grad_(True)
        score = target_score(model, noisy, target).sum()
        grad, = torch.autograd.grad(score, noisy)
        total += grad.abs()
    return total.sum(1) / samples


@torch.no_grad()
def occlusion(model, x, target, size):
    base = target_score(model, x, target)
    h, w = x.shape[-2:]
    heat = x.new_zeros(len(x), h // size, w // size)
    for i in range(h // size):
        for j in range(w // size):
            hidden = x.clone()
            hidden[..., i * size:(i + 1) * size, j * size:(j + 1) * size] = 0
            heat[:, i, j] = base - target_score(model, hidden, target)
    return heat


class LayerProbe:
    def __init__(self, layer):
        self.layer = layer
        self.output = None

    def __enter__(self):
        self.handle = self.layer.register_forward_hook(self._remember)
        return self

    def __exit__(self, *exc):
        self.handle.remove()
        self.output = None

    def _remember(self, module, args, output):
        if output.requires_grad:
            output.retain_grad()
        self.output = output

    def importance(self):
        if self.output is None or self.output.grad is None:
            return None
        return (self.output.grad * self.output.detach()).flatten(1).sum(1)
