"""Resumable training of a session-based recommender."""
import argparse
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--items", type=int, default=50)
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--ckpt", default=os.path.join(tempfile.mkdtemp(), "last.pt"))
args = parser.parse_args()
args.device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")


class GRU4Rec(nn.Module):
    def __init__(self, n_items, dim=16):
        super().__init__()
        self.items = nn.Embedding(n_items, dim)
        self.gru = nn.GRU(dim, dim, batch_first=True)

    def forward(self, seq):
        h, _ = self.gru(self.items(seq))
        return h @ self.items.weight.t()


def build():
    net = GRU4Rec(args.items)
    opt = torch.optim.AdamW(net.parameters(), lr=5e-3, weight_decay=1e-4)
    return net, opt


def sessions(n):
    for _ in range(n):
        start = torch.randint(0, args.items, (8, 1))
        yield (start + torch.arange(9)) % args.items


def run_epoch(net, opt):
    net.train()
    losses = []
    for seq in sessions(5):
        seq = seq.to(args.device)
        logits = net(seq[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, args.items), seq[:, 1:].reshape(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    return sum(losses) / len(losses)


net, opt = build()
net.to(args.device)
for epoch in range(args.epochs):
    print("first run", epoch, run_epoch(net, opt))
torch.save({"net": net.state_dict(), "opt": opt.state_dict(), "epoch": args.epochs}, args.ckpt)

# pick up where we stopped
net, opt = build()
state = torch.load(args.ckpt, map_location="cpu")
net.load_state_dict(state["net"])
net.to(args.device)
opt.load_state_dict(state["opt"])
for epoch in range(state["epoch"], state["epoch"] + args.epochs):
    print("resumed", epoch, run_epoch(net, opt))
