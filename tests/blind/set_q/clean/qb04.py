import torch
import torch.nn as nn
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, dim, p=0.1):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Dropout(p), nn.Linear(4 * dim, dim))

    def forward(self, x, scale):
        return x + scale * self.ff(self.norm(x))


class Deep(nn.Module):
    def __init__(self, dim=16, depth=6, every=2):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.scales = nn.ParameterList(nn.Parameter(torch.ones(())) for _ in range(depth))
        self.every = every
        self.head = nn.Linear(dim, 1)
        self.use_ckpt = True

    def forward(self, x):
        for i, (block, s) in enumerate(zip(self.blocks, self.scales)):
            if self.training and self.use_ckpt and i % self.every == 0:
                x = checkpoint(block, x, s, use_reentrant=False, preserve_rng_state=True)
            else:
                x = block(x, s)
        return self.head(x).squeeze(-1)


class GradNormTracker:
    """Collects the norm of the gradient that reaches every block."""

    def __init__(self, model):
        self.norms = {}
        self.handles = [b.register_full_backward_hook(self._make(i)) for i, b in enumerate(model.blocks)]

    def _make(self, i):
        def hook(module, grad_in, grad_out):
            self.norms[i] = grad_out[0].detach().norm()
        return hook

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for h in self.handles:
            h.remove()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Deep().to(device)
    decay = [p for p in model.parameters() if p.ndim > 1]
    rest = [p for p in model.parameters() if p.ndim <= 1]
    opt = torch.optim.AdamW([{"params": decay}, {"params": rest, "weight_decay": 0.0}], lr=1e-3)
    x = torch.randn(32, 16, device=device)
    y = x.mean(-1)
    model.use_ckpt = False
    with GradNormTracker(model) as tracker:
        nn.functional.mse_loss(model(x), y).backward()
    print({k: round(v.item(), 4) for k, v in sorted(tracker.norms.items())})
    model.use_ckpt = True
    for _ in range(4):
        opt.zero_grad()
        loss = nn.functional.mse_loss(model(x), y)
        loss.backward()
        opt.step()
    print(loss.item())


main()
