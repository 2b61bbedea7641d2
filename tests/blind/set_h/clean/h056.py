import torch
from torch import nn
import torch.nn.functional as F


class CosineHead(nn.Module):
    """Class prototypes on the unit sphere; the padding class stays at zero."""

    def __init__(self, dim, classes, pad=0):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, dim))
        self.register_buffer("center", torch.zeros(dim))
        self.pad = pad
        nn.init.orthogonal_(self.weight)
        with torch.no_grad():
            self.weight[pad].zero_()

    @torch.no_grad()
    def project(self):
        self.weight.div_(self.weight.norm(dim=1, keepdim=True).clamp_min(1e-8))
        self.weight[self.pad] = 0

    def forward(self, x):
        if self.training:
            self.center.mul_(0.9).add_(x.detach().mean(0), alpha=0.1)
        w = self.weight.clone()
        w[self.pad] = w[self.pad] * 0
        logits = F.normalize(x - self.center, dim=1) @ w.t() * 8
        logits[:, self.pad] -= 4.0
        return logits


def universal_noise(shape, device, eps):
    noise = torch.zeros(shape, device=device)
    noise.uniform_(-eps, eps)
    noise[..., 0] = 0
    return noise.requires_grad_()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    body = nn.Sequential(nn.Linear(12, 24), nn.ReLU(), nn.Linear(24, 10)).to(device)
    head = CosineHead(10, 5).to(device)
    opt = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=0.05)
    noise = universal_noise((12,), device, 0.1)
    for step in range(8):
        x = torch.randn(32, 12, device=device)
        y = x[:, :4].argmax(1) + 1
        loss = F.cross_entropy(head(body(x + noise)), y)
        opt.zero_grad()
        noise.grad = None
        loss.backward()
        opt.step()
        head.project()
        with torch.no_grad():
            noise.add_(noise.grad.sign(), alpha=0.01).clamp_(-0.1, 0.1)
    print(loss.item(), noise.abs().max().item())


if __name__ == "__main__":
    main()
