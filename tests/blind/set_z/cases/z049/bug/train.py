import argparse
import logging
from itertools import cycle

import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from dann import DANN

log = logging.getLogger("dann")


def domains(n):
    src = TensorDataset(torch.randn(n, 8), torch.randint(0, 3, (n,)))
    tgt = TensorDataset(torch.randn(n, 8) + 1.0)
    return src, tgt


def train(args):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DANN().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    src, tgt = domains(24)
    src_loader = DataLoader(src, args.batch_size, shuffle=True)
    tgt_loader = cycle(DataLoader(tgt, args.batch_size, shuffle=True))
    total = args.epochs * len(src_loader)
    for epoch in range(args.epochs):
        for i, ((xs, ys), (xt,)) in enumerate(zip(src_loader, tgt_loader)):
            model.reverse.progress = (epoch * len(src_loader) + i) / total
            xs, ys, xt = xs.to(device), ys.to(device), xt.to(device)
            label, dom_s = model(xs)
            _, dom_t = model(xt)
            dom = torch.cat([dom_s, dom_t])
            dom_y = torch.cat([torch.zeros(len(xs)), torch.ones(len(xt))]).long().to(device)
            loss = F.cross_entropy(label, ys) + F.cross_entropy(dom, dom_y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        log.info("epoch %d %.3f", epoch, loss.item())


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=8)
    p.add_argument("--lr", type=float, default=0.01)
    train(p.parse_args())
