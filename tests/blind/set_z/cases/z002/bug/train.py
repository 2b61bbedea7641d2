import argparse
import time

import torch
import torch.nn.functional as F

from models import build_model


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--model", default="anchor")
    p.add_argument("--steps", type=int, default=3)
    p.add_argument("--lr", type=float, default=1e-2)
    return p.parse_args()


def detection_loss(out, target):
    reg = F.smooth_l1_loss(out["boxes"], target["boxes"])
    cls = F.binary_cross_entropy_with_logits(out["scores"], target["labels"])
    return {"reg": reg, "cls": cls}


def fake_batch(n, device):
    images = torch.randn(n, 3, 16, 16, device=device)
    target = {"boxes": torch.rand(n, 16, 4, device=device) * 16,
              "labels": torch.randint(0, 2, (n, 16), device=device).float()}
    return images, target


def main(args):
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = build_model(args.model, size=16, strides=(4,)).to(device)
    print(f"{model.num_parameters} parameters")
    optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 2, gamma=0.1)
    for step in range(args.steps):
        start = time.time()
        images, target = fake_batch(2, device)
        losses = detection_loss(model(images), target)
        total = sum(losses.values())
        optimizer.zero_grad(set_to_none=True)
        total.backward()
        optimizer.step()
        scheduler.step()
        print(step, {k: round(v.item(), 3) for k, v in losses.items()}, f"{time.time() - start:.2f}s")


if __name__ == "__main__":
    main(parse())
