import argparse

import torch
from torch import nn

from nets import small_mlp
from sam import SAM

parser = argparse.ArgumentParser()
parser.add_argument("--rho", type=float, default=0.1)
parser.add_argument("--steps", type=int, default=5)
args = parser.parse_args()

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = small_mlp(10, 4).to(device)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
optimizer = SAM(model.parameters(), torch.optim.SGD, rho=args.rho, lr=0.1, momentum=0.9)

for step in range(args.steps):
    x, y = torch.randn(32, 10, device=device), torch.randint(0, 4, (32,), device=device)

    def closure():
        loss = criterion(model(x), y)
        loss.backward()
        return loss

    loss = closure()
    optimizer.step(closure)
    print(step, loss.item())
