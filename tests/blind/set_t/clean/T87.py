import argparse
import copy
import json
from pathlib import Path
import torch
from torch import nn
import torch.nn.functional as F


class DepthwiseNet(nn.Module):
    def __init__(self, width=8, classes=4):
        super().__init__()
        self.stem = self.unit(nn.Conv2d(3, width, 3, stride=2, padding=1), width)
        self.depth = self.unit(nn.Conv2d(width, width, 3, padding=1, groups=width), width)
        self.point = self.unit(nn.Conv2d(width, 2 * width, 1), 2 * width)
        self.head = nn.Linear(2 * width, classes)

    @staticmethod
    def unit(conv, width):
        return nn.Sequential(conv, nn.BatchNorm2d(width), nn.ReLU6(inplace=True))

    def forward(self, x):
        return self.head(self.point(self.depth(self.stem(x))).mean((2, 3)))


@torch.no_grad()
def fold(conv, bn):
    scale = bn.weight / (bn.running_var + bn.eps).sqrt()
    conv.weight.mul_(scale.view(-1, 1, 1, 1))
    conv.bias.copy_((conv.bias - bn.running_mean) * scale + bn.bias)
    return conv


def prepare(model):
    """A separate, folded host copy; the training model stays as it is."""
    host = copy.deepcopy(model).cpu().eval()
    for unit in (host.stem, host.depth, host.point):
        unit[0] = fold(unit[0], unit[1])
        unit[1] = nn.Identity()
    return host.requires_grad_(False)


def quantise(t, bits=8):
    peak = t.abs().max()
    if peak == 0:
        return {"scale": 1.0, "values": torch.zeros_like(t, dtype=torch.int8).tolist()}
    scale = peak / (2 ** (bits - 1) - 1)
    return {"scale": scale.item(), "values": (t / scale).round().to(torch.int8).tolist()}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--out", type=Path, default=Path("model.json"))
    ap.add_argument("--steps", type=int, default=6)
    args = ap.parse_args()
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = DepthwiseNet().to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    example = torch.rand(2, 3, 16, 16)
    for step in range(args.steps):
        model.train()
        x, y = torch.rand(16, 3, 16, 16), torch.randint(0, 4, (16,))
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step % 3 == 2:
            host = prepare(model)
            model.eval()
            with torch.no_grad():
                gap = (host(example) - model(example.to(device)).cpu()).abs().max().item()
            args.out.write_text(json.dumps({k: quantise(v) for k, v in host.state_dict().items()}))
            print(step, "difference", gap, args.out.stat().st_size, "bytes")


if __name__ == "__main__":
    main()
