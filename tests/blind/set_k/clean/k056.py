from __future__ import print_function

import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser(description="small convnet")
parser.add_argument("--batch-size", type=int, default=16)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--lr", type=float, default=0.05)
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--seed", type=int, default=1)
args = parser.parse_args()
args.cuda = not args.no_cuda and torch.cuda.is_available()

torch.manual_seed(args.seed)
if args.cuda:
    torch.cuda.manual_seed_all(args.seed)


def place(*items):
    if args.cuda:
        items = tuple(i.cuda() for i in items)
    return items


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 3)
        self.conv2 = nn.Conv2d(6, 12, 3)
        self.fc = nn.Linear(12, 4)

    def forward(self, x):
        x = F.relu(F.max_pool2d(self.conv1(x), 2))
        x = F.relu(self.conv2(x))
        return self.fc(x.mean((2, 3)))


model = Net()
if args.cuda:
    model.cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.5)

images = torch.randn(96, 1, 16, 16)
labels = torch.randint(0, 4, (96,))
train = list(zip(images[:64].split(args.batch_size), labels[:64].split(args.batch_size)))
test = list(zip(images[64:].split(args.batch_size), labels[64:].split(args.batch_size)))

for epoch in range(1, args.epochs + 1):
    model.train()
    for data, target in train:
        data, target = place(data, target)
        optimizer.zero_grad()
        loss = F.cross_entropy(model(data), target)
        loss.backward()
        optimizer.step()
    model.eval()
    correct = 0
    with torch.no_grad():
        for data, target in test:
            data, target = place(data, target)
            correct += model(data).argmax(dim=1).eq(target).sum().item()
    print("epoch {} loss {:.4f} accuracy {}/32".format(epoch, loss.item(), correct))
