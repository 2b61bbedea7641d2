import torch


def perplexity_search(d2, target, iters=20):
    n = len(d2)
    lo, hi = torch.zeros(n, device=d2.device), torch.full((n,), float("inf"), device=d2.device)
    beta = torch.ones(n, device=d2.device)
    diag = torch.eye(n, dtype=torch.bool, device=d2.device)
    goal = torch.log(torch.tensor(target))
    for _ in range(iters):
        p = torch.exp(-d2 * beta[:, None]).masked_fill(diag, 0)
        p = p / p.sum(1, keepdim=True)
        h = -(p * (p + 1e-12).log()).sum(1)
        high = h > goal
        lo = torch.where(high, beta, lo)
        hi = torch.where(high, hi, beta)
        beta = torch.where(torch.isinf(hi), beta * 2, (lo + hi) / 2)
    return (p + p.t()) / (2 * n)


class TSNE:
    def __init__(self, lr=20.0, momentum=0.5, perplexity=8.0, early=6):
        self.lr, self.momentum, self.perplexity, self.early = lr, momentum, perplexity, early

    def kl(self, P, y):
        q = 1 / (1 + torch.cdist(y, y).square())
        q = q - torch.diag(q.diagonal())
        q = q / q.sum()
        return (P * ((P + 1e-12).log() - (q + 1e-12).log())).sum()

    def fit_transform(self, x, steps=30):
        with torch.no_grad():
            P = perplexity_search(torch.cdist(x, x).square(), self.perplexity)
        y = torch.randn(len(x), 2, device=x.device).mul_(1e-2).requires_grad_(True)
        velocity = torch.zeros_like(y)
        gains = torch.ones_like(y)
        for it in range(steps):
            loss = self.kl(P * (4.0 if it < self.early else 1.0), y)
            grad, = torch.autograd.grad(loss, y)
            with torch.no_grad():
                same = (grad > 0) == (velocity > 0)
                gains.mul_(torch.where(same, 0.8, 1.0)).add_(torch.where(same, 0.0, 0.2)).clamp_(min=0.01)
                velocity.mul_(self.momentum).sub_(self.lr * gains * grad)
                y += velocity
                y -= y.mean(0)
        return y.detach(), loss.detach()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    centers = torch.randn(3, 10) * 4
    labels = torch.arange(45) % 3
    x = (centers[labels] + torch.randn(45, 10)).to(device)
    y, loss = TSNE().fit_transform(x)
    y = y.cpu().numpy()
    means = [y[labels.numpy() == c].mean(0) for c in range(3)]
    print(float(loss), means)
