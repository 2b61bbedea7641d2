import torch
from torch import nn
from torch.autograd import Function


class ReverseGradient(Function):
    @staticmethod
    def forward(ctx, features, strength):
        ctx.strength = strength
        return features.view_as(features)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.neg() * ctx.strength, None


class DomainAdversarial(nn.Module):
    def __init__(self, inputs=12, dim=16, classes=3):
        super().__init__()
        self.extract = nn.Sequential(nn.Linear(inputs, dim), nn.ReLU())
        self.label = nn.Linear(dim, classes)
        self.domain = nn.Sequential(nn.Linear(dim, dim), nn.ReLU(), nn.Linear(dim, 1))

    def forward(self, x, strength):
        f = self.extract(x)
        d = self.domain(ReverseGradient.apply(f, strength))
        return self.label(f), d.squeeze(-1)


def ramp(step, total):
    p = step / total
    return 2.0 / (1.0 + 2.718281828 ** (-10 * p)) - 1.0


def loaders(batches=5, size=16, inputs=12):
    for _ in range(batches):
        src = torch.randn(size, inputs)
        yield src, torch.randint(0, 3, (size,)), torch.randn(size, inputs) + 0.5


def train():
    torch.manual_seed(0)
    net = DomainAdversarial()
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    ce, bce = nn.CrossEntropyLoss(), nn.BCEWithLogitsLoss()
    for step, (src, labels, tgt) in enumerate(loaders()):
        strength = ramp(step, 5)
        class_out, src_dom = net(src, strength)
        _, tgt_dom = net(tgt, strength)
        domains = torch.cat([src_dom, tgt_dom])
        truth = torch.cat([torch.ones_like(src_dom), torch.zeros_like(tgt_dom)])
        loss = ce(class_out, labels) + bce(domains, truth)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, f"{loss.item():.4f}")


if __name__ == "__main__":
    train()
