import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def flat(ts):
    return torch.cat([t.reshape(-1) for t in ts])


class NaturalGradient:
    def __init__(self, model, damping=0.1, lr=0.5):
        self.params = [p for p in model.parameters() if p.requires_grad]
        self.damping, self.lr = damping, lr

    def hvp(self, grads, v):
        hv = torch.autograd.grad(flat(grads) @ v, self.params, retain_graph=True)
        return flat(hv).detach() + self.damping * v

    def solve(self, grads, iters=4):
        b = flat(grads).detach()
        x, r = torch.zeros_like(b), b.clone()
        p, rr = r.clone(), r @ r
        for _ in range(iters):
            Ap = self.hvp(grads, p)
            alpha = rr / (p @ Ap).clamp(min=1e-10)
            x += alpha * p
            r -= alpha * Ap
            new = r @ r
            p = r + new / rr.clamp(min=1e-12) * p
            rr = new
        return x

    def step(self, loss):
        grads = torch.autograd.grad(loss, self.params, create_graph=True)
        direction = self.solve(grads)
        at = 0
        with torch.no_grad():
            for p in self.params:
                p -= self.lr * direction[at : at + p.numel()].view_as(p)
                at += p.numel()


model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3)).to(device)
x = torch.randn(64, 4, device=device)
y = x[:, :3].argmax(1)
ng = NaturalGradient(model)
for it in range(4):
    loss = F.cross_entropy(model(x), y)
    ng.step(loss)
    print(it, loss.item())
