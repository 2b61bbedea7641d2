import math
import torch
from torch import nn
import torch.nn.functional as F


class LoRA(nn.Module):
    """Wraps a frozen linear layer; can be merged for deployment and unmerged again."""

    def __init__(self, base, rank=2, alpha=4.0):
        super().__init__()
        self.base = base.requires_grad_(False)
        where = {"device": base.weight.device, "dtype": base.weight.dtype}
        self.a = nn.Parameter(torch.empty(rank, base.in_features, **where))
        self.b = nn.Parameter(torch.zeros(base.out_features, rank, **where))
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))
        self.scale = alpha / rank
        self.merged = False

    def forward(self, x):
        y = self.base(x)
        if not self.merged:
            y = y + self.scale * F.linear(F.linear(x, self.a), self.b)
        return y

    @torch.no_grad()
    def merge(self, on=True):
        if on != self.merged:
            sign = 1 if on else -1
            self.base.weight += sign * self.scale * self.b @ self.a
            self.merged = on


def inject(module, rank):
    for name, child in module.named_children():
        if isinstance(child, nn.Linear):
            setattr(module, name, LoRA(child, rank))
        else:
            inject(child, rank)
    return module


def adapters(model):
    return [m for m in model.modules() if isinstance(m, LoRA)]


class Speller(nn.Module):
    def __init__(self, letters=27, dim=24):
        super().__init__()
        self.emb = nn.Embedding(letters, dim)
        self.mix = nn.Sequential(nn.Flatten(), nn.Linear(5 * dim, 64), nn.ReLU(), nn.Linear(64, letters))

    def forward(self, ids):
        return self.mix(self.emb(ids))


def fit(model, params, x, y, steps, lr):
    optimizer = torch.optim.Adam(params, lr=lr)
    model.train()
    for _ in range(steps):
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randint(27, (128, 5), device=device)
    model = Speller().to(device)
    print("pretrain", fit(model, model.parameters(), x, x[:, 0], 20, 3e-3))
    model.requires_grad_(False)
    inject(model, rank=2)
    tuned = [p for p in model.parameters() if p.requires_grad]
    print("tune", fit(model, tuned, x, x[:, 1], 20, 1e-2), sum(p.numel() for p in tuned))
    model.eval()
    with torch.no_grad():
        before = model(x)
        for layer in adapters(model):
            layer.merge()
        gap = (model(x) - before).abs().max()
    print("merge difference", gap.item())


if __name__ == "__main__":
    main()
