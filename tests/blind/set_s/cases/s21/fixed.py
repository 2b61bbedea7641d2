import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class SegNet(nn.Module):
    def __init__(self, classes=3, width=8):
        super().__init__()
        self.down = nn.Sequential(nn.Conv2d(3, width, 3, stride=2, padding=1), nn.ReLU())
        self.up = nn.ConvTranspose2d(width, classes, 2, stride=2)

    def forward(self, x):
        return self.up(self.down(x))


def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument("--gpu-ids", type=str, default="0", help="comma separated")
    parser.add_argument("--epochs", type=int, default=1)
    parser.add_argument("--lr", type=float, default=1e-3)
    args = parser.parse_args()
    args.gpu_ids = [int(i) for i in args.gpu_ids.split(",")]
    return args


def setup(args):
    if torch.cuda.is_available():
        device = torch.device("cuda", args.gpu_ids[0])
    else:
        device = torch.device("cpu")
    model = SegNet()
    if len(args.gpu_ids) > 1 and device.type == "cuda":
        print("using", len(args.gpu_ids), "GPUs")
        model = nn.DataParallel(model, device_ids=args.gpu_ids)
    model.to(device)
    return model, device


def main():
    args = parse_args()
    model, device = setup(args)
    optimizer = torch.optim.Adam(model.parameters(), lr=args.lr)
    for epoch in range(args.epochs):
        for _ in range(4):
            images = torch.randn(2, 3, 16, 16).to(device)
            masks = torch.randint(0, 3, (2, 16, 16)).to(device)
            optimizer.zero_grad()
            loss = F.cross_entropy(model(images), masks)
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())
    state = model.module.state_dict() if isinstance(model, nn.DataParallel) else model.state_dict()
    print(len(state), "tensors")


if __name__ == "__main__":
    main()
