"""Continual learning: the classifier grows when a new task brings new classes."""
import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class IncrementalNet(nn.Module):
    def __init__(self, d_in, d_feat, n_classes):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(d_in, d_feat), nn.LayerNorm(d_feat), nn.ReLU())
        self.classifier = nn.Linear(d_feat, n_classes)

    def forward(self, x):
        return self.classifier(self.features(x))

    @torch.no_grad()
    def grow(self, extra):
        old = self.classifier
        new = nn.Linear(old.in_features, old.out_features + extra, device=old.weight.device)
        new.weight[: old.out_features] = old.weight
        new.bias[: old.out_features] = old.bias
        self.classifier = new


class ContinualTrainer:
    def __init__(self, args, device):
        self.args, self.device = args, device
        self.model = IncrementalNet(args.dim, 32, args.classes_per_task).to(device)
        self.seen = args.classes_per_task
        self.configure_optimizer()

    def configure_optimizer(self):
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=self.args.lr, momentum=0.9, weight_decay=1e-4)

    def task_data(self, task):
        lo = task * self.args.classes_per_task
        for _ in range(self.args.steps):
            y = torch.randint(lo, lo + self.args.classes_per_task, (32,), device=self.device)
            yield torch.randn(32, self.args.dim, device=self.device) + y[:, None] * 0.3, y

    def begin_task(self, task):
        if task:
            self.model.grow(self.args.classes_per_task)
            self.seen += self.args.classes_per_task
            self.configure_optimizer()

    def run_task(self, task):
        self.begin_task(task)
        self.model.train()
        for x, y in self.task_data(task):
            loss = F.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return self.evaluate(task)

    @torch.no_grad()
    def evaluate(self, task):
        self.model.eval()
        ok = [(self.model(x).argmax(1) == y).float().mean() for x, y in self.task_data(task)]
        return torch.stack(ok).mean().item()


def main(tasks=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--tasks", type=int, default=tasks or 3)
    ap.add_argument("--classes-per-task", type=int, default=2)
    ap.add_argument("--dim", type=int, default=12)
    ap.add_argument("--lr", type=float, default=0.05)
    ap.add_argument("--steps", type=int, default=6)
    args = ap.parse_args([] if tasks else None)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    trainer = ContinualTrainer(args, device)
    for t in range(args.tasks):
        print("task", t, "acc", trainer.run_task(t))
    return trainer


if __name__ == "__main__":
    main()
