import argparse

import torch
from torch import nn


class Backbone(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.layer1 = nn.Sequential(nn.Conv2d(3, width, 3, 2, 1), nn.ReLU())
        self.layer2 = nn.Sequential(nn.Conv2d(width, width * 2, 3, 2, 1), nn.ReLU())
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.width = width * 2

    def forward(self, x):
        return self.pool(self.layer2(self.layer1(x))).flatten(1)


class Classifier(nn.Module):
    def __init__(self, backbone, classes):
        super().__init__()
        self.backbone = backbone
        self.fc = nn.Linear(backbone.width, classes)

    def forward(self, x):
        return self.fc(self.backbone(x))


def set_trainable(module, layers, flag):
    for name in layers:
        getattr(module, name).requires_grad = flag


class FineTuner:
    FROZEN = ("layer1", "layer2")

    def __init__(self, model, args):
        self.model = model
        set_trainable(model.backbone, self.FROZEN, False)
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr, weight_decay=0.01)
        self.loss_fn = nn.CrossEntropyLoss()
        self.args = args

    def train(self, data):
        self.model.train()
        for epoch in range(self.args.epochs):
            for x, y in data:
                loss = self.loss_fn(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            print(epoch, loss.item())


def main(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--classes", type=int, default=4)
    args = parser.parse_args(argv)
    torch.manual_seed(0)
    model = Classifier(Backbone(), args.classes)
    data = [(torch.randn(4, 3, 16, 16), torch.randint(0, args.classes, (4,))) for _ in range(3)]
    FineTuner(model, args).train(data)


if __name__ == "__main__":
    main()
