import argparse
import os

import torch
import torch.nn as nn
import torch.nn.functional as F

from ema import ModelEMA


def conv_bn(cin, cout):
    return nn.Sequential(nn.Conv2d(cin, cout, 3, padding=1, bias=False), nn.BatchNorm2d(cout), nn.SiLU())


class Classifier(nn.Module):
    def __init__(self, classes=6):
        super().__init__()
        self.stem = conv_bn(3, 8)
        self.body = conv_bn(8, 8)
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        x = self.stem(x)
        x = x + self.body(x)
        return self.fc(x.mean((2, 3)))


def save(path, epoch, model, ema, optimizer):
    torch.save({"epoch": epoch, "model": model.state_dict(), "ema": ema.state_dict(),
                "optimizer": optimizer.state_dict()}, path)


def setup(args):
    device = torch.device(args.device)
    model = Classifier()
    if args.freeze_stem:
        model.stem.requires_grad_(False)
    model.to(device)
    ema = ModelEMA(model, decay=args.ema_decay)
    params = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(params, lr=args.lr, momentum=0.9, nesterov=True)
    return model, ema, optimizer, device


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    ap.add_argument("--lr", type=float, default=0.02)
    ap.add_argument("--ema-decay", type=float, default=0.9)
    ap.add_argument("--freeze-stem", action="store_true")
    ap.add_argument("--out", default="last.pt")
    args = ap.parse_args()
    model, ema, optimizer, device = setup(args)
    for it in range(3):
        x = torch.randn(4, 3, 8, 8, device=device)
        y = torch.randint(0, 6, (4,), device=device)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        ema.update(model)
        print(it, loss.item())
    save(args.out, 0, model, ema, optimizer)
    print(os.path.getsize(args.out))


if __name__ == "__main__":
    main()
