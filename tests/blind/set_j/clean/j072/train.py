import os
import tempfile

import torch
import torch.nn as nn

import ckpt


def build(device):
    net = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1)).to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-2)
    return net, opt, torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)


def train(path, epochs):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net, opt, sched = build(device)
    start = 0
    if os.path.exists(path):
        start = ckpt.restore(path, device, net=net, opt=opt, sched=sched)["epoch"] + 1
    for epoch in range(start, epochs):
        x = torch.randn(16, 3, device=device)
        loss = (net(x) - x.sum(1, keepdim=True)).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        ckpt.save(path, net=net, opt=opt, sched=sched, epoch=epoch)
    return start


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        p = os.path.join(d, "last.pt")
        print(train(p, 2), train(p, 4))
