import argparse
import logging

import torch
from torch import nn

from backbone import ResBackbone, freeze_stages

logger = logging.getLogger("det")


def layerwise_groups(model, lr, decay=0.7):
    stages = model.stages
    groups = [{"params": list(model.fc.parameters()), "lr": lr}]
    for depth, stage in enumerate(reversed(stages), 1):
        groups.append({"params": [p for p in stage.parameters() if p.requires_grad], "lr": lr * decay ** depth})
    return [g for g in groups if g["params"]]


def train(model, optimizer, args, device):
    criterion = nn.CrossEntropyLoss()
    for step in range(args.steps):
        model.train()
        freeze_stages(model, args.freeze_at)
        x = torch.randn(4, 3, 8, 8, device=device)
        y = torch.randint(0, 4, (4,), device=device)
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.info("%d %.3f", step, loss.item())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--freeze-at", type=int, default=0)
    parser.add_argument("--steps", type=int, default=2)
    parser.add_argument("--lr", type=float, default=0.01)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ResBackbone().to(device)
    freeze_stages(model, args.freeze_at)
    optimizer = torch.optim.SGD(layerwise_groups(model, args.lr), lr=args.lr, momentum=0.9)
    train(model, optimizer, args, device)
