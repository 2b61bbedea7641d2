import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class Block(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(dim)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim))

    def forward(self, x):
        return x + self.ff(self.norm(x))


class Encoder(nn.Module):
    def __init__(self, dim=16, depth=4, save_memory=True):
        super().__init__()
        self.blocks = nn.ModuleList(Block(dim) for _ in range(depth))
        self.save_memory = save_memory
        self.norms = {}

    def watch(self, name, h):
        if h.requires_grad:
            h.register_hook(lambda g: self.norms.__setitem__(name, g.detach().norm()))
        return h

    def forward(self, x):
        for i, block in enumerate(self.blocks):
            if self.save_memory and self.training:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
            x = self.watch(f"block{i}", x)
        return x


class Masked(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.encoder = Encoder(dim)
        self.mask_token = nn.Parameter(torch.zeros(dim))
        self.head = nn.Linear(dim, dim)

    def forward(self, x, mask):
        h = torch.where(mask[..., None], self.mask_token, x)
        return self.head(self.encoder(h))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Masked().to(device)
    ema = torch.zeros(16, device=device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for step in range(5):
        x = torch.randn(8, 6, 16, device=device).cumsum(1)
        mask = torch.rand(8, 6, device=device) < 0.4
        mask[:, 0] = True
        out = model(x, mask)
        loss = F.mse_loss(out[mask], x[mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        summary = out.mean((0, 1))
        summary.detach_()
        ema.lerp_(summary, 0.1)
    print({k: round(v.item(), 4) for k, v in model.encoder.norms.items()})
    model.eval()
    with torch.no_grad():
        print(model(x, mask).shape, ema.norm().item())


if __name__ == "__main__":
    main()
