import torch
import torch.nn as nn
import torch.nn.functional as F


class Attack:
    def __init__(self, model, eps):
        self.model, self.eps = model, eps
        self.device = next(model.parameters()).device

    def __call__(self, x, y):
        was = self.model.training
        self.model.eval()
        try:
            return self.run(x.to(self.device), y.to(self.device))
        finally:
            self.model.train(was)


class FGSM(Attack):
    def run(self, x, y):
        x = x.clone().detach().requires_grad_(True)
        loss = F.cross_entropy(self.model(x), y)
        grad = torch.autograd.grad(loss, x, retain_graph=False, create_graph=False)[0]
        return (x + self.eps * grad.sign()).clamp(0, 1).detach()


class PGD(Attack):
    def __init__(self, model, eps, alpha=0.02, steps=4):
        super().__init__(model, eps)
        self.alpha, self.steps = alpha, steps

    def run(self, x, y):
        adv = (x + torch.empty_like(x).uniform_(-self.eps, self.eps)).clamp(0, 1).detach()
        for _ in range(self.steps):
            adv.requires_grad_(True)
            loss = F.cross_entropy(self.model(adv), y)
            grad = torch.autograd.grad(loss, adv)[0]
            adv = adv.detach() + self.alpha * grad.sign()
            adv = torch.max(torch.min(adv, x + self.eps), x - self.eps).clamp(0, 1)
        return adv.detach()


def trades(model, x, opt, eps=0.05, beta=3.0, y=None):
    model.eval()
    delta = torch.zeros_like(x).normal_(0, 1e-3).requires_grad_(True)
    clean = model(x).detach().softmax(1)
    for _ in range(3):
        kl = F.kl_div(model(x + delta).log_softmax(1), clean, reduction="batchmean")
        g, = torch.autograd.grad(kl, [delta])
        with torch.no_grad():
            delta.add_(0.02 * g.sign()).clamp_(-eps, eps)
    model.train()
    opt.zero_grad()
    logits = model(x)
    robust = F.kl_div(model((x + delta.detach()).clamp(0, 1)).log_softmax(1), logits.softmax(1), reduction="batchmean")
    loss = F.cross_entropy(logits, y) + beta * robust
    loss.backward()
    opt.step()
    return loss.detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4)).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    x, y = torch.rand(64, 1, 8, 8), torch.randint(0, 4, (64,))
    for _ in range(4):
        loss = trades(model, x.to(device), opt, y=y.to(device))
    for attack in (FGSM(model, 0.05), PGD(model, 0.05)):
        adv = attack(x, y)
        model.eval()
        with torch.no_grad():
            acc = (model(adv).argmax(1).cpu() == y).float().mean()
        print(type(attack).__name__, acc.item(), loss.item())


if __name__ == "__main__":
    main()
