import argparse
import copy
import logging

import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from validate import Validator, top1, top2


def make_mlp(p):
    return nn.Sequential(nn.Linear(6, 24), nn.BatchNorm1d(24), nn.ReLU(), nn.Dropout(p), nn.Linear(24, 4))


def train_one_epoch(model, loader, optimizer, device):
    model.train()
    for x, y in loader:
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--dropout", type=float, default=0.3)
    parser.add_argument("--patience", type=int, default=5)
    args = parser.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = make_mlp(args.dropout).to(device)
    modes = []
    model[3].register_forward_pre_hook(lambda m, inp: modes.append(m.training) if torch.is_grad_enabled() else None)
    ds = TensorDataset(torch.randn(48, 6), torch.randint(0, 4, (48,)))
    validator = Validator(DataLoader(ds, 16), device, {"top1": top1, "top2": top2})
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    loader = DataLoader(ds, 16, shuffle=True)
    best, waited, best_state = 0.0, 0, None
    model.train()
    for epoch in range(args.epochs):
        loss = train_one_epoch(model, loader, optimizer, device)
        result = validator(model)
        if result["top1"] > best:
            best, waited, best_state = result["top1"], 0, copy.deepcopy(model.state_dict())
        else:
            waited += 1
            if waited >= args.patience:
                break
        logging.info("epoch %d %.3f %.3f", epoch, loss, best)
    model.load_state_dict(best_state)
    return modes


if __name__ == "__main__":
    modes = main()
