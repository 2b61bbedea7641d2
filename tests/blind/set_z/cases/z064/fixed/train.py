import argparse

import torch
import torch.nn.functional as F

from net import PoseNet
from state import BestKeeper


def pck(pred, target, threshold=1.0):
    """Share of joints closer than the threshold."""
    with torch.no_grad():
        return ((pred - target).norm(dim=-1) < threshold).float().mean().item()


class PoseTrainer:
    def __init__(self, args):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = PoseNet().to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=args.lr)
        self.keeper = BestKeeper()

    def batch(self, n=8):
        x = torch.randn(n, 10, device=self.device)
        return x, x.view(n, 5, 2).roll(1, dims=1)

    def step(self, i):
        x, target = self.batch()
        out = self.model(x)
        weight = out["scores"].unsqueeze(-1)
        loss = (weight * (out["coords"] - target).abs()).mean() - 0.01 * weight.log().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        score = pck(out["coords"], target)
        if self.keeper.offer(i, score, {k: v.detach() for k, v in out.items()}):
            print(f"new best at {i}: {score:.3f}")
        return loss.item()

    def run(self, steps):
        losses = [self.step(i) for i in range(steps)]
        best = self.keeper.best
        return {"loss": sum(losses) / len(losses), "best": best.score,
                "spread": best.outputs["coords"].std().item()}


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--steps", type=int, default=3)
    args = p.parse_args()
    print(PoseTrainer(args).run(args.steps))
