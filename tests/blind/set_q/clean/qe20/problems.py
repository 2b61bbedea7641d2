import torch
import torch.nn.functional as F


class Quadratic:
    def __init__(self, device, n=5):
        self.w, self.y = torch.randn(n, n, device=device), torch.randn(n, device=device)
        self.params = [torch.randn(n, device=device, requires_grad=True)]

    def loss(self):
        return (self.w @ self.params[0] - self.y).square().mean()


class TinyNet:
    def __init__(self, device):
        self.x = torch.randn(24, 3, device=device)
        self.y = (self.x.sum(1) > 0).float()
        self.params = [(0.3 * torch.randn(s)).to(device).requires_grad_() for s in ((3, 6), (6,))]

    def loss(self):
        logits = torch.tanh(self.x @ self.params[0]) @ self.params[1]
        return F.binary_cross_entropy_with_logits(logits, self.y)
