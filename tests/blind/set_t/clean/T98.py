from functools import partial
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


class SSMBlock(nn.Module):
    """Diagonal state space layer, scanned over time."""

    def __init__(self, dim, state=4):
        super().__init__()
        self.log_a = nn.Parameter(torch.log(torch.arange(1, state + 1).float()).repeat(dim, 1))
        self.b = nn.Parameter(torch.randn(dim, state) * 0.3)
        self.c = nn.Parameter(torch.randn(dim, state) * 0.3)
        self.dt = nn.Linear(dim, dim)
        self.norm = nn.LayerNorm(dim)

    def forward(self, x):
        u = self.norm(x)
        dt = F.softplus(self.dt(u)).unsqueeze(-1)
        decay = torch.exp(-dt * self.log_a.exp())
        push = dt * self.b * u.unsqueeze(-1)
        h = x.new_zeros(x.size(0), x.size(2), self.b.size(1))
        ys = []
        for t in range(x.size(1)):
            h = decay[:, t] * h + push[:, t]
            ys.append((h * self.c).sum(-1))
        return x + torch.stack(ys, 1)


class LongModel(nn.Module):
    def __init__(self, vocab=12, dim=16, depth=3, recompute=True):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(SSMBlock(dim) for _ in range(depth))
        self.out = nn.Linear(dim, vocab)
        self.recompute = recompute

    def forward(self, ids):
        h = self.emb(ids)
        for block in self.blocks:
            if self.recompute and self.training:
                h = checkpoint(block, h, use_reentrant=False)
            else:
                h = block(h)
        return self.out(h)


class GradientWatch:
    def __init__(self, model):
        self.norms = {}
        self.handles = [p.register_hook(partial(self.note, name)) for name, p in model.named_parameters()]

    def note(self, name, grad):
        self.norms[name] = grad.detach().norm()

    def largest(self):
        name = max(self.norms, key=lambda n: self.norms[n].item())
        return name, round(self.norms[name].item(), 4)

    def close(self):
        for h in self.handles:
            h.remove()


def recall_batch(n, t, device):
    ids = torch.randint(1, 12, (n, t), device=device)
    target = torch.full_like(ids, -100)
    target[:, 4:] = ids[:, :-4]
    return ids, target


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = LongModel().to(device)
    watch = GradientWatch(model)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-3)
    model.train()
    for step in range(4):
        ids, target = recall_batch(6, 16, device)
        loss = F.cross_entropy(model(ids).flatten(0, 1), target.flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    print(loss.item(), *watch.largest())
    watch.close()
    model.eval()
    with torch.no_grad():
        ids, target = recall_batch(6, 16, device)
        hits = (model(ids).argmax(-1) == target)[:, 4:].float().mean()
    print("recall", hits.item())
