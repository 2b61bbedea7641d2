import argparse
from functools import partial

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from trainer import PhaseTrainer


class Saver:
    def __init__(self, model):
        self.model, self.best, self.state = model, float("inf"), None

    def __call__(self, epoch, value):
        if value < self.best:
            self.best = value
            self.state = {k: v.detach().cpu().clone() for k, v in self.model.state_dict().items()}

    def restore(self):
        self.model.load_state_dict(self.state)


def clip(params, limit):
    nn.utils.clip_grad_norm_(params, limit)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--clip", type=float, default=1.0)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(4, 12), nn.BatchNorm1d(12), nn.ReLU(), nn.Linear(12, 2)).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)
    trainer, saver = PhaseTrainer(model, optimizer, nn.CrossEntropyLoss(), device), Saver(model)
    events = trainer.events
    events.on("before_backward", optimizer.zero_grad)
    events.on("after_backward", partial(clip, list(model.parameters()), args.clip))
    events.on("after_backward", optimizer.step)
    events.on("epoch_end", saver).on("epoch_end", lambda epoch, value: scheduler.step())
    x = torch.randn(40, 4)
    ds = TensorDataset(x, (x.sum(1) > 0).long())
    trainer.fit({"train": DataLoader(ds, 8, shuffle=True), "val": DataLoader(ds, 20)}, args.epochs)
    saver.restore()
    print(saver.best, trainer.history)


if __name__ == "__main__":
    main()
