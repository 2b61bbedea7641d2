import argparse

import torch
from torch import nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader, TensorDataset

from mcdropout import evaluating, mc_predict, update_bn


def net():
    return nn.Sequential(nn.Linear(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(0.3), nn.Linear(16, 2))


@torch.no_grad()
def accuracy(model, loader, device):
    with evaluating(model):
        hits = sum((model(x.to(device)).argmax(1).cpu() == y).sum().item() for x, y in loader)
    return hits / len(loader.dataset)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=3)
    p.add_argument("--swa-start", type=int, default=1)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    x = torch.randn(40, 6)
    ds = TensorDataset(x, (x[:, 0] > x[:, 1]).long())
    loader = DataLoader(ds, 8, shuffle=True)
    model = net().to(device)
    swa = AveragedModel(model)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    model.train()
    for epoch in range(args.epochs):
        for xb, yb in loader:
            opt.zero_grad()
            loss = F.cross_entropy(model(xb.to(device)), yb.to(device))
            loss.backward()
            opt.step()
        if epoch >= args.swa_start:
            swa.update_parameters(model)
        print(epoch, loss.item(), accuracy(model, loader, device))
    update_bn(loader, swa, device)
    mean, var = mc_predict(swa, x.to(device))
    print(accuracy(swa, loader, device), var.mean().item(), mean.shape)


if __name__ == "__main__":
    main()
