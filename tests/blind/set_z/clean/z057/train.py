import argparse

import torch
from torch import nn

from models import make_resnet


def accuracy(output, target, topk=(1,)):
    with torch.no_grad():
        pred = output.topk(max(topk), 1).indices.t()
        correct = pred.eq(target.view(1, -1).expand_as(pred))
        return [correct[:k].flatten().float().sum().mul_(100.0 / target.size(0)).item() for k in topk]


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--checkpoint", action="store_true")
    p.add_argument("--steps", type=int, default=2)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = make_resnet(use_checkpoint=args.checkpoint).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, nesterov=True)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.1, total_steps=args.steps + 1)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    model.train()
    for _ in range(args.steps):
        x = torch.randn(4, 3, 8, 8, device=device)
        y = torch.randint(0, 4, (4,), device=device)
        out = model(x)
        loss = criterion(out, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        print(loss.item(), accuracy(out, y, (1, 2)), scheduler.get_last_lr())


if __name__ == "__main__":
    main()
