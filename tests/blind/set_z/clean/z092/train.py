import argparse
import itertools
import logging

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from vat import VATLoss

logger = logging.getLogger("semi")


def linear_ramp(step, length):
    return min(1.0, step / max(1, length))


def make_data(labelled, unlabelled):
    x = torch.randn(labelled + unlabelled, 5)
    y = (x[:, 0] > 0).long()
    return TensorDataset(x[:labelled], y[:labelled]), TensorDataset(x[labelled:])


def train(model, args, device):
    lab, unl = make_data(16, 48)
    lab_iter = itertools.cycle(DataLoader(lab, 8, shuffle=True))
    vat = VATLoss(eps=args.eps)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    model.train()
    for step, (u,) in enumerate(DataLoader(unl, 16, shuffle=True)):
        x, y = (t.to(device) for t in next(lab_iter))
        u = u.to(device)
        smooth = vat(model, u)
        sup = F.cross_entropy(model(x), y)
        loss = sup + args.weight * linear_ramp(step, 3) * smooth
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        logger.info("%d sup %.4f vat %.4f", step, sup.item(), smooth.item())


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--eps", type=float, default=0.5)
    p.add_argument("--weight", type=float, default=1.0)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(5, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 2)).to(device)
    train(model, args, device)


if __name__ == "__main__":
    main()
