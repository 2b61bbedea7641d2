import torch
from torch import nn
import torch.nn.functional as F


class PGD:
    def __init__(self, model, eps=0.1, alpha=0.03, steps=4):
        self.model = model
        self.eps, self.alpha, self.steps = eps, alpha, steps

    def perturb(self, x, y):
        adv = (x + torch.empty_like(x).uniform_(-self.eps, self.eps)).clamp(0, 1)
        for _ in range(self.steps):
            adv = adv.detach().requires_grad_()
            loss = F.cross_entropy(self.model(adv), y)
            (g,) = torch.autograd.grad(loss, adv)
            with torch.no_grad():
                adv = adv + self.alpha * g.sign()
                adv = torch.min(torch.max(adv, x - self.eps), x + self.eps).clamp_(0, 1)
        return adv.detach()


class RobustTrainer:
    def __init__(self, model, device):
        self.model = model.to(device)
        self.device = device
        self.attack = PGD(self.model)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=0.1, momentum=0.9)

    def data(self, batches=3, n=16):
        for _ in range(batches):
            y = torch.randint(0, 3, (n,))
            x = torch.rand(n, 1, 8, 8) * 0.4 + y.view(-1, 1, 1, 1) * 0.3
            yield x.clamp(0, 1).to(self.device), y.to(self.device)

    def epoch(self):
        for x, y in self.data():
            self.model.eval()
            adv = self.attack.perturb(x, y)
            self.model.train()
            clean_logits, adv_logits = self.model(x), self.model(adv)
            loss = F.cross_entropy(clean_logits, y) + 2.0 * F.kl_div(
                F.log_softmax(adv_logits, 1), F.softmax(clean_logits, 1), reduction="batchmean")
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()

    def robust_accuracy(self):
        self.model.eval()
        right = total = 0
        for x, y in self.data(2):
            adv = self.attack.perturb(x, y)
            with torch.no_grad():
                right += (self.model(adv).argmax(1) == y).sum()
            total += len(y)
        return right.item() / total


if __name__ == "__main__":
    torch.manual_seed(0)
    net = nn.Sequential(nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 3))
    trainer = RobustTrainer(net, torch.device("cuda" if torch.cuda.is_available() else "cpu"))
    for e in range(2):
        trainer.epoch()
        print(e, trainer.robust_accuracy())
