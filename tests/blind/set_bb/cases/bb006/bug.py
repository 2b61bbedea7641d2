import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvNet(nn.Module):
    def __init__(self, n=5):
        super().__init__()
        self.c1 = nn.Conv2d(1, 6, 3, padding=1)
        self.c2 = nn.Conv2d(6, 8, 3, stride=2, padding=1)
        self.fc = nn.Linear(8 * 4 * 4, n)

    def forward(self, x):
        x = F.relu(self.c2(F.relu(self.c1(x))))
        return self.fc(x.flatten(1))


class UniversalAttack:
    """One perturbation for the whole set."""

    def __init__(self, model, shape, args):
        self.model = model.eval()
        self.eps, self.iters = args.eps, args.iters
        self.device = next(model.parameters()).device
        self.shape = shape
        self.history = []

    def start(self):
        lo = torch.full(self.shape, -self.eps)
        first = lo + 2 * self.eps * torch.rand(self.shape)
        return first.requires_grad_(True).to(self.device)

    def objective(self, delta, x, y):
        return F.cross_entropy(self.model((x + delta).clamp(0, 1)), y)

    def ascend(self, delta, grad, lr):
        with torch.no_grad():
            delta.add_(lr * grad.sign()).clamp_(-self.eps, self.eps)

    def run(self, batches):
        delta = self.start()
        lr = 2.5 * self.eps / self.iters
        for _ in range(self.iters):
            for x, y in batches:
                x, y = x.to(self.device), y.to(self.device)
                loss = self.objective(delta, x, y)
                loss.backward()
                self.ascend(delta, delta.grad, lr)
                delta.grad.zero_()
                self.history.append(loss.item())
        return delta.detach().cpu()



def success_rate(model, delta, batches, device):
    hit = total = 0
    with torch.no_grad():
        for x, y in batches:
            x = x.to(device)
            before = model(x).argmax(1)
            after = model(x + delta.to(device)).argmax(1)
            hit += (before != after).sum().item()
            total += len(y)
    return hit / total


if __name__ == "__main__":
    ap = argparse.ArgumentParser()
    ap.add_argument("--eps", type=float, default=0.03)
    ap.add_argument("--iters", type=int, default=5)
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = ConvNet().to(device)
    net.requires_grad_(False)
    data = [(torch.rand(6, 1, 8, 8), torch.randint(0, 5, (6,))) for _ in range(3)]
    attack = UniversalAttack(net, (1, 1, 8, 8), args)
    delta = attack.run(data)
    print("flipped", success_rate(net, delta, data, device))
