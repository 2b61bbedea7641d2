"""Build a large network without allocating it, then materialise it where it is needed."""
import torch
from torch import nn


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.empty(dim))
        self.reset_parameters()

    def reset_parameters(self):
        nn.init.ones_(self.weight)

    def forward(self, x):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.eps) * self.weight


class GatedMLP(nn.Module):
    def __init__(self, dim, mult=3):
        super().__init__()
        self.norm = RMSNorm(dim)
        self.up = nn.Linear(dim, 2 * mult * dim, bias=False)
        self.down = nn.Linear(mult * dim, dim, bias=False)

    def forward(self, x):
        a, b = self.up(self.norm(x)).chunk(2, dim=-1)
        return x + self.down(nn.functional.silu(a) * b)


class Stack(nn.Module):
    def __init__(self, vocab, dim, depth):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(GatedMLP(dim) for _ in range(depth))
        self.norm = RMSNorm(dim)

    def forward(self, ids):
        x = self.emb(ids)
        for block in self.blocks:
            x = block(x)
        return self.norm(x) @ self.emb.weight.t()


class Materialiser:
    def __init__(self, factory):
        with torch.device("meta"):
            self.skeleton = factory()

    def size_in_bytes(self):
        return sum(p.numel() * p.element_size() for p in self.skeleton.parameters())

    def realise(self, device, seed=0):
        torch.manual_seed(seed)
        model = self.skeleton.to_empty(device=device)
        for module in model.modules():
            if hasattr(module, "reset_parameters"):
                module.reset_parameters()
        return model


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    maker = Materialiser(lambda: Stack(vocab=30, dim=16, depth=2))
    print("needs", maker.size_in_bytes(), "bytes")
    model = maker.realise(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    ids = torch.randint(0, 30, (4, 9), device=device)
    for _ in range(3):
        logits = model(ids[:, :-1])
        loss = nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()
