import argparse

import torch
from torch import nn

from backbone import Backbone


class Classifier(nn.Module):
    def __init__(self, backbone, width, classes):
        super().__init__()
        self.backbone = backbone
        self.fc = nn.Linear(width, classes)

    def forward(self, images):
        return self.fc(self.backbone(images))


def build(weights, classes, device):
    backbone = Backbone.from_pretrained(weights) if weights else Backbone()
    return Classifier(backbone, 16, classes).to(device)


def finetune(args):
    device = torch.device(args.device)
    model = build(args.weights, args.classes, device)
    optim = torch.optim.AdamW(model.parameters(), lr=args.lr)
    for _ in range(args.steps):
        images = torch.randn(4, 3, 16, 16, device=device)
        labels = torch.randint(args.classes, (4,), device=device)
        loss = nn.functional.cross_entropy(model(images), labels)
        optim.zero_grad()
        loss.backward()
        optim.step()
    return model


if __name__ == "__main__":
    cli = argparse.ArgumentParser()
    cli.add_argument("--weights")
    cli.add_argument("--classes", type=int, default=5)
    cli.add_argument("--steps", type=int, default=1)
    cli.add_argument("--lr", type=float, default=1e-4)
    cli.add_argument("--device", default="cpu")
    finetune(cli.parse_args())
