import torch
import torch.nn as nn
import torch.nn.functional as F


class GradientMonitor:
    """Collects gradient norms through hooks and scales down those of chosen layers."""

    def __init__(self, model, scales):
        self.norms = {}
        self.handles = []
        for name, p in model.named_parameters():
            if not p.requires_grad:
                continue
            factor = next((s for prefix, s in scales.items() if name.startswith(prefix)), 1.0)
            self.handles.append(p.register_hook(self._make(name, factor)))

    def _make(self, name, factor):
        def hook(grad):
            self.norms[name] = grad.norm().item()
            return grad * factor
        return hook

    def close(self):
        for h in self.handles:
            h.remove()

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        self.close()


class Ranker(nn.Module):
    def __init__(self, vocab=40, dim=12):
        super().__init__()
        self.embed = nn.EmbeddingBag(vocab, dim)
        self.embed.weight.requires_grad_(False)
        self.query = nn.Linear(dim, dim)
        self.doc = nn.Linear(dim, dim)

    def forward(self, q, d):
        return self.query(self.embed(q)) @ self.doc(self.embed(d)).t()


def in_batch_loss(scores):
    target = torch.arange(scores.size(0), device=scores.device)
    return F.cross_entropy(scores, target) + F.cross_entropy(scores.t(), target)


device = "cuda" if torch.cuda.is_available() else "cpu"
model = Ranker().to(device)
opt = torch.optim.Adam([p for p in model.parameters() if p.requires_grad], lr=1e-2)
with GradientMonitor(model, {"doc": 0.1}) as monitor:
    for step in range(4):
        d = torch.randint(0, 40, (8, 6), device=device)
        loss = in_batch_loss(model(d[:, :3], d))
        opt.zero_grad()
        loss.backward()
        opt.step()
print(loss.item(), {k: round(v, 3) for k, v in monitor.norms.items()})
