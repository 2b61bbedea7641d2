import argparse
import logging

import torch
from torch import nn

from attack import UniversalPatch

log = logging.getLogger("patch")


def victim():
    return nn.Sequential(nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                         nn.Flatten(), nn.Linear(8, 4))


class ImageBatches:
    def __init__(self, batches, size):
        self.batches, self.size = batches, size

    def __iter__(self):
        for _ in range(self.batches):
            yield torch.rand(4, 3, self.size, self.size)


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--target", type=int, default=2)
    ap.add_argument("--image-size", type=int, default=12)
    ap.add_argument("--init", choices=["gray", "noise"], default="noise")
    args = ap.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = victim().to(device)
    attack = UniversalPatch(model, device, init=args.init)
    for images in ImageBatches(2, args.image_size):
        labels = torch.full((images.size(0),), args.target, device=device)
        patch, trace = attack.run(images.to(device), labels)
        log.info("%s %s", tuple(patch.shape), trace)


if __name__ == "__main__":
    main()
