import argparse

import torch
from torch import nn
import torch.nn.functional as F

from hooks import GradNormHook, LrHook, TextLogger
from runner import IterRunner


def regression_loss(model, batch):
    x = batch.to(next(model.parameters()).device)
    return F.mse_loss(model(x).squeeze(-1), x.sum(-1))


ap = argparse.ArgumentParser()
ap.add_argument("--iters", type=int, default=4)
ap.add_argument("--lr", type=float, default=0.05)
args = ap.parse_args()
device = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(5, 8), nn.ReLU(), nn.Linear(8, 1)).to(device)
before = [p.detach().clone() for p in model.parameters()]
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
loader = torch.utils.data.DataLoader(torch.randn(16, 5), batch_size=4)
runner = IterRunner(model, optimizer, regression_loss, [TextLogger(), GradNormHook(), LrHook()])
runner.run(loader, args.iters)
