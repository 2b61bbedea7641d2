import argparse
import logging

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from utils import AverageMeter, ConfusionMeter

logger = logging.getLogger("main")


class Scenes(Dataset):
    def __init__(self, n, classes):
        self.n, self.classes = n, classes

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        return torch.randn(3, 8, 8), torch.randint(0, self.classes, (8, 8))


def train(loader, model, criterion, optimizer, device):
    meter = AverageMeter("loss")
    model.train()
    for img, lab in loader:
        img, lab = img.to(device), lab.to(device)
        loss = criterion(model(img), lab)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        meter.update(loss.item(), img.size(0))
    logger.info("%s", meter)


@torch.no_grad()
def validate(loader, model, num_classes, device):
    meter = ConfusionMeter(num_classes)
    model.eval()
    for img, lab in loader:
        logits = model(img.to(device))
        meter.update(logits.argmax(1), lab)
    return meter.miou


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--classes", type=int, default=4)
    parser.add_argument("--workers", type=int, default=0)
    args = parser.parse_args()
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, args.classes, 1)).to(device)
    criterion = nn.CrossEntropyLoss(ignore_index=255)
    optimizer = torch.optim.SGD(model.parameters(), 0.05)
    loader = DataLoader(Scenes(8, args.classes), batch_size=4, num_workers=args.workers)
    best = 0.0
    for epoch in range(args.epochs):
        train(loader, model, criterion, optimizer, device)
        best = max(best, validate(loader, model, args.classes, device))
        logger.info("epoch %d best %.3f", epoch, best)


if __name__ == "__main__":
    main()
