import argparse

import torch
import torch.nn.functional as F

from factory import create


class Learner:
    def __init__(self, cfg):
        self.cfg = cfg
        self.net, self.optimizer = create(cfg)
        self.net.to(cfg["device"])
        self.losses = []

    @property
    def device(self):
        return next(self.net.parameters()).device

    def step(self, ids, click):
        ids, click = ids.to(self.device), click.to(self.device)
        loss = F.binary_cross_entropy_with_logits(self.net(ids), click)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.losses.append(loss.item())

    @torch.no_grad()
    def auc(self, ids, click):
        self.net.eval()
        score = self.net(ids.to(self.device)).cpu()
        self.net.train()
        pos, neg = score[click == 1], score[click == 0]
        return (pos[:, None] > neg[None, :]).float().mean().item()


def stream(n, batch=16):
    for _ in range(n):
        ids = torch.randint(0, 50, (batch, 5))
        yield ids, (ids.float().mean(1) > 25).float()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--optimizer", default="adagrad")
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--steps", type=int, default=4)
    a = parser.parse_args()
    cfg = {"model": "fm", "model_args": {"rank": 3}, "optimizer": a.optimizer, "lr": a.lr,
           "device": "cuda" if torch.cuda.is_available() else "cpu"}
    learner = Learner(cfg)
    for ids, click in stream(a.steps):
        learner.step(ids, click)
    print(learner.losses, learner.auc(*next(stream(1, 64))))


if __name__ == "__main__":
    main()
