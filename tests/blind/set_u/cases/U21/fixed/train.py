import argparse

import torch
import torch.nn.functional as F

from net import FineTuned

ap = argparse.ArgumentParser()
ap.add_argument("--freeze", type=int, default=0)
ap.add_argument("--steps", type=int, default=3)
args = ap.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

model = FineTuned(5, upto=args.freeze).to(device)
groups = [
    {"params": [p for p in model.backbone.parameters() if p.requires_grad], "lr": 1e-4},
    {"params": model.fc.parameters(), "lr": 1e-2},
]
optimizer = torch.optim.SGD(groups, lr=1e-3, momentum=0.9)
for step in range(args.steps):
    x = torch.rand(4, 3, 32, 32, device=device)
    y = torch.randint(0, 5, (4,), device=device)
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
print("trained", sum(p.numel() for g in optimizer.param_groups for p in g["params"]))
