import argparse
import os
import tempfile

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, Dataset


class Blobs(Dataset):
    def __init__(self, n, size=24):
        self.n, self.size = n, size

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        cx, cy, r = torch.rand(3, generator=g) * torch.tensor([1.0, 1.0, 0.3]) + torch.tensor([0.0, 0.0, 0.1])
        axis = torch.linspace(0, 1, self.size)
        mask = ((axis[:, None] - cy) ** 2 + (axis[None] - cx) ** 2 < r ** 2).float()
        return mask[None] + 0.2 * torch.randn(1, self.size, self.size, generator=g), mask[None]


class SegNet(nn.Module):
    def __init__(self, w=8):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(1, w, 3, padding=1), nn.ReLU(inplace=True), nn.MaxPool2d(2))
        self.mid = nn.Sequential(nn.Conv2d(w, w, 3, padding=1), nn.ReLU(inplace=True))
        self.out = nn.Conv2d(w + 1, 1, 3, padding=1)

    def forward(self, x):
        y = F.interpolate(self.mid(self.down(x)), size=x.shape[-2:], mode="nearest")
        return self.out(torch.cat([x, y], 1))


@torch.inference_mode()
def mean_iou(net, loader, device):
    net.eval()
    inter = union = 0
    for x, m in loader:
        p = net(x.to(device)).sigmoid() > 0.5
        m = m.to(device) > 0.5
        inter += (p & m).sum().item()
        union += (p | m).sum().item()
    return inter / max(union, 1)


def poly(optimizer, total, power=0.9):
    return torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: max(1 - s / total, 0.0) ** power)


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--resume", default="")
    ap.add_argument("--out", default=os.path.join(tempfile.gettempdir(), "segnet_ff104.pt"))
    args = ap.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train = DataLoader(Blobs(32), 8, shuffle=True)
    valid = DataLoader(Blobs(8), 8)
    net = SegNet().to(device)
    ema = AveragedModel(net, multi_avg_fn=get_ema_multi_avg_fn(0.9))
    opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    sched = poly(opt, args.epochs * len(train))
    first = 0
    if args.resume and os.path.exists(args.resume):
        state = torch.load(args.resume, map_location=device, weights_only=True)
        net.load_state_dict(state["net"])
        ema.load_state_dict(state["ema"])
        opt.load_state_dict(state["opt"])
        sched.load_state_dict(state["sched"])
        first = state["epoch"] + 1
    for epoch in range(first, args.epochs):
        net.train()
        for x, m in train:
            x, m = x.to(device), m.to(device)
            loss = F.binary_cross_entropy_with_logits(net(x), m)
            opt.zero_grad()
            loss.backward()
            opt.step()
            sched.step()
            ema.update_parameters(net)
        print(epoch, mean_iou(net, valid, device), mean_iou(ema, valid, device))
        torch.save({"net": net.state_dict(), "ema": ema.state_dict(), "opt": opt.state_dict(),
                    "sched": sched.state_dict(), "epoch": epoch}, args.out)


if __name__ == "__main__":
    main()
