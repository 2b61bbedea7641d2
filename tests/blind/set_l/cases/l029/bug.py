import argparse

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class LightStyle:
    """A tiny home-made template: subclasses write training_step, the runner does the rest."""

    def training_step(self, batch):
        raise NotImplementedError

    def training_epoch_end(self, outputs):
        pass


class Classifier(LightStyle, nn.Module):
    def __init__(self, d, classes):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, 32), nn.ReLU(), nn.Linear(32, classes))
        self.loss = nn.CrossEntropyLoss()
        self.log = {}

    def training_step(self, batch):
        x, y = batch
        logits = self.net(x)
        return {"loss": self.loss(logits, y), "logits": logits, "y": y}

    def training_epoch_end(self, outputs):
        probs = torch.cat([o for o in outputs]).softmax(1)
        self.log["confidence"] = probs.max(1).values.mean().item()


class Runner:
    def __init__(self, module, lr):
        self.module = module
        self.opt = torch.optim.SGD(module.parameters(), lr=lr)
        self.outputs = []

    def run(self, loader, epochs):
        for _ in range(epochs):
            self.outputs.clear()
            for batch in loader:
                out = self.module.training_step(batch)
                self.opt.zero_grad()
                out["loss"].backward()
                self.opt.step()
                self.outputs.append(out["logits"])
            self.module.training_epoch_end(self.outputs)
            print(self.module.log)


parser = argparse.ArgumentParser()
parser.add_argument("--lr", type=float, default=0.1)
parser.add_argument("--epochs", type=int, default=2)
opts = parser.parse_args()
x = torch.randn(120, 9)
loader = DataLoader(TensorDataset(x, (x[:, 0] > 0).long()), batch_size=20, shuffle=True)
runner = Runner(Classifier(9, 2), opts.lr)
runner.run(loader, opts.epochs)
