from dataclasses import dataclass, field
from typing import Callable, Dict

import torch
import torch.nn as nn

ACTS: Dict[str, Callable] = {"relu": nn.ReLU, "gelu": nn.GELU, "none": nn.Identity}


@dataclass
class OptimConfig:
    name: str = "AdamW"
    lr: float = 3e-3
    kwargs: dict = field(default_factory=dict)

    def build(self, model, no_decay=("bias", "norm")):
        plain, special = [], []
        for n, p in model.named_parameters():
            if not p.requires_grad:
                continue
            (special if any(k in n for k in no_decay) else plain).append(p)
        groups = [{"params": plain}, {"params": special, "weight_decay": 0.0}]
        return getattr(torch.optim, self.name)(groups, lr=self.lr, **self.kwargs)


@dataclass
class ModelConfig:
    width: int = 24
    act: str = "gelu"
    frozen_stem: bool = False

    def build(self):
        net = nn.ModuleDict({"stem": nn.Linear(7, self.width), "norm": nn.LayerNorm(self.width), "act": ACTS[self.act](),
                             "head": nn.Linear(self.width, 2)})
        net["stem"].requires_grad_(not self.frozen_stem)
        return net


@dataclass
class Experiment:
    model: ModelConfig = field(default_factory=ModelConfig)
    optim: OptimConfig = field(default_factory=OptimConfig)
    device: str = "auto"
    steps: int = 8

    @classmethod
    def parse(cls, raw):
        parts = {"model": ModelConfig, "optim": OptimConfig}
        return cls(**{k: parts[k](**v) if k in parts else v for k, v in raw.items()})

    def resolve_device(self):
        if self.device == "auto":
            return torch.device("cuda" if torch.cuda.is_available() else "cpu")
        return torch.device(self.device)

    def run(self):
        device = self.resolve_device()
        net = self.model.build().to(device)
        opt = self.optim.build(net)

        def forward(x):
            for name in ("stem", "norm", "act", "head"):
                x = net[name](x)
            return x

        log = []
        for _ in range(self.steps):
            x = torch.randn(40, 7)
            y = (x[:, 0] > x[:, 1]).long()
            loss = nn.functional.cross_entropy(forward(x.to(device)), y.to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            log.append(loss.detach())
        return torch.stack(log).cpu()


RUNS = [
    {"model": {"act": "relu"}, "steps": 6},
    {"model": {"frozen_stem": True, "width": 48}, "optim": {"name": "SGD", "lr": 0.1, "kwargs": {"momentum": 0.9}}},
    {"device": "cpu", "optim": {"name": "RAdam"}},
]

if __name__ == "__main__":
    for raw in RUNS:
        exp = Experiment.parse(raw)
        print(exp.model, exp.run().numpy().round(3))
