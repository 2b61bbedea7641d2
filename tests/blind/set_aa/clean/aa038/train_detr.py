import torch

from detr.criterion import SetCriterion
from detr.matcher import Matcher
from detr.model import MiniDETR

WEIGHTS = {"class": 1.0, "box": 5.0}
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model, criterion = MiniDETR().to(device), SetCriterion(3, Matcher()).to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)


def batch(n=3):
    targets = []
    for i in range(n):
        k = 1 + i % 3
        targets.append({"boxes": torch.rand(k, 4), "labels": torch.randint(0, 3, (k,))})
    return torch.rand(n, 3, 32, 32), targets


for it in range(3):
    images, targets = batch()
    targets = [{k: v.to(device) for k, v in t.items()} for t in targets]
    losses = criterion(model(images.to(device)), targets)
    total = sum(WEIGHTS[k] * v for k, v in losses.items())
    opt.zero_grad()
    total.backward()
    opt.step()
    print(it, {k: round(v.item(), 3) for k, v in losses.items()})
