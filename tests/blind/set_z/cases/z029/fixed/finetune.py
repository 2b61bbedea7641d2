import argparse
import logging
from functools import partial

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from nets import Backbone, FineTuner

logger = logging.getLogger("finetune")


def make_optimizer(model, name="adamw", **kwargs):
    makers = {"adamw": partial(torch.optim.AdamW, weight_decay=0.01), "sgd": torch.optim.SGD}
    return makers[name]([p for p in model.parameters() if p.requires_grad], **kwargs)


def warmup(optimizer, steps):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / steps))


def fit(model, loader, optimizer, scheduler, criterion, device, epochs):
    for epoch in range(epochs):
        model.train()
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            optimizer.zero_grad(set_to_none=True)
            loss = criterion(model(x), y)
            loss.backward()
            optimizer.step()
            scheduler.step()
        logger.info("epoch %d %.4f", epoch, loss.item())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--freeze", choices=["none", "backbone"], default="backbone")
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--classes", type=int, default=3)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = FineTuner(Backbone(), args.classes).freeze(args.freeze).to(device)
    optimizer = make_optimizer(model, lr=args.lr)
    ds = TensorDataset(torch.randn(24, 8), torch.randint(0, args.classes, (24,)))
    fit(model, DataLoader(ds, 8, shuffle=True), optimizer, warmup(optimizer, 4),
        nn.CrossEntropyLoss(label_smoothing=0.1), device, args.epochs)


if __name__ == "__main__":
    main()
