import logging

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

from config import get_config
from losses import build_loss

log = logging.getLogger("seg")


class TinyUNet(nn.Module):
    def __init__(self, classes, width=8):
        super().__init__()
        self.down = nn.Conv2d(3, width, 3, padding=1)
        self.mid = nn.Conv2d(width, width, 3, padding=1)
        self.head = nn.Conv2d(2 * width, classes, 1)

    def forward(self, x):
        a = self.down(x).relu()
        b = self.mid(a).relu()
        return self.head(torch.cat([a, b], dim=1))


def train_one_epoch(model, criterion, loader, optimizer, device):
    model.train()
    running = 0.0
    for images, masks in loader:
        images, masks = images.to(device), masks.to(device)
        optimizer.zero_grad()
        loss = criterion(model(images), masks)
        loss.backward()
        optimizer.step()
        running += loss.item()
    return running / len(loader)


def main():
    cfg = get_config()
    data = TensorDataset(torch.randn(8, 3, 8, 8), torch.randint(0, cfg.num_classes, (8, 8, 8)))
    loader = DataLoader(data, batch_size=cfg.batch_size, shuffle=True)
    model = TinyUNet(cfg.num_classes).to(cfg.device)
    criterion = build_loss(cfg.loss, num_classes=cfg.num_classes).to(cfg.device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for epoch in range(cfg.epochs):
        log.info("epoch %d loss %.4f", epoch, train_one_epoch(model, criterion, loader, optimizer, cfg.device))


if __name__ == "__main__":
    main()
