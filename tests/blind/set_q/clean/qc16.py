import torch
import torch.nn as nn
import torch.nn.functional as F


def gradient_reversal(alpha):
    class _Reverse(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            return -alpha * g
    return _Reverse.apply


class DANN(nn.Module):
    def __init__(self, d=6):
        super().__init__()
        self.feat = nn.Sequential(nn.Linear(d, 32), nn.ReLU())
        self.cls = nn.Linear(32, 2)
        self.dom = nn.Sequential(nn.Linear(32, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, x, alpha):
        f = self.feat(x)
        return self.cls(f), self.dom(gradient_reversal(alpha)(f)).squeeze(1)


class PseudoLabel:
    def __init__(self, threshold=0.7):
        self.threshold = threshold

    def __call__(self, logits):
        conf, label = logits.detach().softmax(1).max(1)
        return label, conf >= self.threshold


def loaders(n=4):
    for _ in range(n):
        xs = torch.randn(32, 6)
        xt = torch.randn(32, 6) + 0.7
        yield xs, (xs[:, 0] > 0).long(), xt


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net, pseudo = DANN().to(device), PseudoLabel()
    opt = torch.optim.SGD(net.parameters(), lr=0.05, momentum=0.9)
    for epoch in range(3):
        alpha = 2 / (1 + 2.718 ** (-5 * epoch / 3)) - 1
        for xs, ys, xt in loaders():
            xs, ys, xt = xs.to(device), ys.to(device), xt.to(device)
            out, dom = net(torch.cat([xs, xt]), alpha)
            src, tgt = out.chunk(2)
            is_target = torch.cat([torch.zeros(len(xs)), torch.ones(len(xt))]).to(dom)
            loss = F.cross_entropy(src, ys) + F.binary_cross_entropy_with_logits(dom, is_target)
            label, keep = pseudo(tgt)
            unsup = F.cross_entropy(tgt, label, reduction="none") * keep
            loss = loss + 0.3 * unsup.sum() / keep.sum().clamp(min=1)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, round(alpha, 2), loss.item(), keep.float().mean().item())


if __name__ == "__main__":
    main()
