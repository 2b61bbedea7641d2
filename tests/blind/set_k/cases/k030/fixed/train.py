import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F

from parallel import distribute, unwrap


class Net(nn.Module):
    def __init__(self, classes=4):
        super().__init__()
        self.features = nn.Sequential(nn.Linear(20, 40), nn.ReLU(), nn.Linear(40, 40), nn.ReLU())
        self.classifier = nn.Linear(40, classes)

    def forward(self, x):
        return self.classifier(self.features(x))


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--batch", type=int, default=32)
    p.add_argument("--steps", type=int, default=6)
    p.add_argument("--gpus", type=int, nargs="*", default=[0])
    args = p.parse_args()
    use_cuda = torch.cuda.is_available() and args.gpus
    args.device = torch.device(f"cuda:{args.gpus[0]}" if use_cuda else "cpu")
    return args


def main(args):
    model = distribute(Net(), args.device, args.gpus)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=1e-4)
    for step in range(args.steps):
        x = torch.randn(args.batch, 20, device=args.device)
        y = x[:, :4].argmax(dim=1)
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, f"{loss.item():.4f}")
    torch.save(unwrap(model).state_dict(), "last.pt")


if __name__ == "__main__":
    main(get_args())
