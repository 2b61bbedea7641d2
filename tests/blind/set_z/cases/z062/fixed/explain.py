import argparse
import os
import tempfile

import numpy as np
import torch
from torch import nn

from cam import GradCAM


class SmallCNN(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2),
            nn.Conv2d(8, 8, 3, padding=1), nn.ReLU())
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.fc = nn.Linear(8, classes)

    def forward(self, x):
        return self.fc(self.pool(self.features(x)).flatten(1))


def overlay(image, cam, alpha=0.5):
    image = image.cpu().numpy().transpose(1, 2, 0)
    heat = np.stack([cam.cpu().numpy()] * 3, axis=-1)
    return (255 * ((1 - alpha) * image + alpha * heat)).clip(0, 255).astype(np.uint8)


def resolve(model, path):
    for part in path.split("."):
        model = getattr(model, part) if not part.isdigit() else model[int(part)]
    return model


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--layer", default="features.3")
    p.add_argument("--out", default=None)
    args = p.parse_args()
    out = args.out or tempfile.mkdtemp()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SmallCNN().to(device)
    images = torch.rand(2, 3, 16, 16)
    with GradCAM(model, resolve(model, args.layer)) as cam:
        maps, logits = cam(images.to(device))
    for i, (img, m) in enumerate(zip(images, maps)):
        np.save(os.path.join(out, f"cam_{i}.npy"), overlay(img, m))
    print(logits.argmax(1).tolist(), sorted(os.listdir(out)))


if __name__ == "__main__":
    main()
