"""Targeted universal perturbation against a small classifier (course project, part 3)."""
import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F


def get_args():
    parser = argparse.ArgumentParser()
    parser.add_argument('--eps', type=float, default=0.1)
    parser.add_argument('--alpha', type=float, default=0.02)
    parser.add_argument('--iters', type=int, default=4)
    parser.add_argument('--target', type=int, default=2)
    args = parser.parse_args()
    args.device = 'cuda:0' if torch.cuda.is_available() else 'cpu'
    return args


class SmallCNN(nn.Module):
    def __init__(self):
        super(SmallCNN, self).__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 8, 3, stride=2, padding=1)
        self.fc = nn.Linear(8 * 7 * 7, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        return self.fc(x.flatten(1))


class UniversalAttack(object):
    def __init__(self, model, args, shape=(1, 14, 14)):
        self.model = model.eval()
        self.args = args
        self.delta = torch.zeros(1, *shape, requires_grad=True).to(args.device)

    def project(self):
        with torch.no_grad():
            self.delta.clamp_(-self.args.eps, self.args.eps)

    def update(self, images):
        target = torch.full((images.size(0),), self.args.target, device=images.device)
        loss = F.cross_entropy(self.model(images + self.delta), target)
        loss.backward()
        step = self.args.alpha * self.delta.grad.sign()
        with torch.no_grad():
            self.delta -= step
        self.delta.grad = None
        self.project()
        return loss.item()

    @torch.no_grad()
    def success_rate(self, images):
        pred = self.model(images + self.delta).argmax(1)
        return (pred == self.args.target).float().mean().item()


def main():
    args = get_args()
    net = SmallCNN().to(args.device)
    for p in net.parameters():
        p.requires_grad = False
    attack = UniversalAttack(net, args)
    data = [torch.rand(8, 1, 14, 14) for _ in range(3)]
    for it in range(args.iters):
        for images in data:
            value = attack.update(images.to(args.device))
        print(it, value)
    print('rate', attack.success_rate(data[0].to(args.device)))


if __name__ == '__main__':
    main()
