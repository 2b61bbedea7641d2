import torch
import torch.nn as nn
import torch.nn.functional as F


def hvp(loss_fn, params, vec):
    loss = loss_fn()
    grads = torch.autograd.grad(loss, params, create_graph=True)
    dot = sum((g * v).sum() for g, v in zip(grads, vec))
    return torch.autograd.grad(dot, params)


@torch.no_grad()
def conjugate_gradient(apply, b, iters=10, damping=1e-2):
    x = [torch.zeros_like(v) for v in b]
    r = [v.clone() for v in b]
    p = [v.clone() for v in b]
    rs = sum(v.square().sum() for v in r)
    for _ in range(iters):
        with torch.enable_grad():
            Ap = apply(p)
        Ap = [a + damping * q for a, q in zip(Ap, p)]
        alpha = rs / (sum((q * a).sum() for q, a in zip(p, Ap)) + 1e-12)
        for xi, ri, pi, ai in zip(x, r, p, Ap):
            xi += alpha * pi
            ri -= alpha * ai
        new = sum(v.square().sum() for v in r)
        p = [ri + new / rs * pi for ri, pi in zip(r, p)]
        rs = new
    return x


class Influence:
    def __init__(self, model, x, y):
        self.model, self.x, self.y = model, x, y
        self.params = [p for p in model.parameters() if p.requires_grad]

    def loss(self, x=None, y=None):
        x = self.x if x is None else x
        y = self.y if y is None else y
        reg = sum(p.square().sum() for p in self.params)
        return F.cross_entropy(self.model(x), y) + 1e-2 * reg

    def scores(self, xt, yt):
        g = torch.autograd.grad(self.loss(xt, yt), self.params)
        ihvp = conjugate_gradient(lambda v: hvp(self.loss, self.params, v), g)
        out = []
        for i in range(len(self.x)):
            gi = torch.autograd.grad(self.loss(self.x[i:i + 1], self.y[i:i + 1]), self.params)
            out.append(-sum((a * b).sum() for a, b in zip(gi, ihvp)))
        return torch.stack(out).cpu()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(40, 4).to(device)
    y = (x[:, 0] + x[:, 1] > 0).long()
    model = nn.Linear(4, 2).to(device)
    inf = Influence(model, x, y)
    opt = torch.optim.LBFGS(model.parameters(), max_iter=20)

    def closure():
        opt.zero_grad()
        l = inf.loss()
        l.backward()
        return l

    opt.step(closure)
    s = inf.scores(torch.randn(3, 4).to(device), torch.tensor([0, 1, 1]).to(device))
    print(s.topk(3).indices.tolist())
