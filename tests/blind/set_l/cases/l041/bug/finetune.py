import argparse

import torch
import torch.nn.functional as F

from models import TransferNet


def get_args():
    p = argparse.ArgumentParser()
    p.add_argument("--freeze", nargs="*", default=[])
    p.add_argument("--lr", type=float, default=1e-2)
    p.add_argument("--steps", type=int, default=4)
    return p.parse_args()


args = get_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = TransferNet().freeze(*args.freeze).to(device)
print(f"{model.count()} of {model.count(trainable=False)} parameters are trained")
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
for step in range(args.steps):
    x = torch.randn(32, 18, device=device)
    y = x[:, :4].argmax(1)
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
