import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class Reweighter:
    """Weights for noisy training samples from the gradient of a clean batch's loss."""

    def __init__(self, model, lr):
        self.model = model
        self.lr = lr

    def __call__(self, x, y, clean_x, clean_y):
        params = dict(self.model.named_parameters())
        eps = torch.zeros(len(x), device=x.device, requires_grad=True)
        losses = F.cross_entropy(functional_call(self.model, params, (x,)), y, reduction="none")
        grads = torch.autograd.grad((eps * losses).sum(), list(params.values()), create_graph=True)
        stepped = {k: p - self.lr * g for (k, p), g in zip(params.items(), grads)}
        clean = F.cross_entropy(functional_call(self.model, stepped, (clean_x,)), clean_y)
        (pull,) = torch.autograd.grad(clean, eps)
        w = (-pull).clamp(min=0)
        total = w.sum()
        return w / total if total > 0 else torch.full_like(w, 1 / len(w))


class NoisyLabels:
    def __init__(self, n=200, flip=0.4):
        g = torch.Generator().manual_seed(5)
        self.x = torch.randn(n, 6, generator=g)
        self.true = self.x[:, :3].argmax(1)
        noisy = torch.rand(n, generator=g) < flip
        self.y = torch.where(noisy, torch.randint(0, 3, (n,), generator=g), self.true)
        self.clean = torch.arange(20)

    def batches(self, size):
        for idx in torch.randperm(len(self.x) - 20).split(size):
            yield idx + 20


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = NoisyLabels()
    model = nn.Sequential(nn.Linear(6, 24), nn.ReLU(), nn.Linear(24, 3)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
    reweight = Reweighter(model, 0.2)
    clean_x, clean_y = data.x[data.clean].to(device), data.true[data.clean].to(device)
    for epoch in range(2):
        trust = torch.zeros(2)
        for idx in data.batches(45):
            x, y = data.x[idx].to(device), data.y[idx].to(device)
            w = reweight(x, y, clean_x, clean_y)
            loss = (w * F.cross_entropy(model(x), y, reduction="none")).sum()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            right = (data.y[idx] == data.true[idx]).long()
            trust.index_add_(0, right, w.cpu())
        with torch.no_grad():
            accuracy = (model(data.x.to(device)).argmax(1).cpu() == data.true).float().mean()
        print(epoch, accuracy.item(), (trust / trust.sum()).tolist())


if __name__ == "__main__":
    main()
