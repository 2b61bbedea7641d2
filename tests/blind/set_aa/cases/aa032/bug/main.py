import torch

from modeling import build_model, weighted_ce
from runner.core import Runner
from runner.hooks import Placement, Printer, StepLR


def batches(n, bs=4):
    for _ in range(n):
        yield {"image": torch.rand(bs, 3, 16, 16), "label": torch.randint(0, 5, (bs,)),
               "weight": torch.rand(bs) + 0.5, "name": [f"img_{i}" for i in range(bs)]}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = build_model([3, 8, 16], classes=5)
runner = Runner(model, weighted_ce, torch.optim.SGD(model.parameters(), lr=0.1),
                [Placement(device), StepLR({4}, 0.1), Printer(every=2)])
runner.fit(batches(6))
