import torch
import torch.nn as nn

from da.modules import DomainHead, Extractor
from da.objectives import DomainObjective, TaskObjective
from da.trainer import Adapter

DIM = 20
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
extractor = Extractor(6, DIM).to(device)
heads = nn.ModuleDict({"task": nn.Linear(DIM, 3), "domain": DomainHead(DIM)}).to(device)
adapter = Adapter(extractor, {"task": TaskObjective(heads["task"]), "domain": DomainObjective(heads["domain"])})
shift = torch.tensor([1.0, -1.0, 0.5, 0.0, 0.0, 2.0])
for it in range(3):
    xs = torch.randn(12, 6)
    y = xs[:, :3].argmax(-1)
    xt = torch.randn(12, 6) + shift
    print(it, adapter.step(xs.to(device), y.to(device), xt.to(device)))
