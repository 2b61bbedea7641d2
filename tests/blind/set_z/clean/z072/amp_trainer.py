import logging
from contextlib import nullcontext

import torch
from torch import nn

logger = logging.getLogger(__name__)


class AmpTrainer:
    """Two optimizers, one scaler, accumulation and clipping."""

    def __init__(self, model, head, args):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model, self.head = model.to(self.device), head.to(self.device)
        self.args = args
        self.enabled = args.amp and self.device.type == "cuda"
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.enabled)
        self.optims = [torch.optim.AdamW(self.model.parameters(), lr=args.lr),
                       torch.optim.SGD(self.head.parameters(), lr=10 * args.lr, momentum=0.9)]
        self.criterion = nn.CrossEntropyLoss()
        self.micro = 0

    def autocast(self):
        return torch.autocast("cuda", dtype=torch.float16) if self.enabled else nullcontext()

    def micro_step(self, x, y):
        with self.autocast():
            loss = self.criterion(self.head(self.model(x)), y) / self.args.accum
        self.scaler.scale(loss).backward()
        self.micro += 1
        if self.micro % self.args.accum == 0:
            self.apply()
        return loss.item() * self.args.accum

    def apply(self):
        for opt in self.optims:
            self.scaler.unscale_(opt)
        params = [p for o in self.optims for g in o.param_groups for p in g["params"]]
        nn.utils.clip_grad_norm_(params, self.args.clip)
        for opt in self.optims:
            self.scaler.step(opt)
        self.scaler.update()
        for opt in self.optims:
            opt.zero_grad(set_to_none=True)

    def fit(self, loader):
        self.model.train()
        self.head.train()
        total = 0.0
        for x, y in loader:
            total += self.micro_step(x.to(self.device, non_blocking=True), y.to(self.device, non_blocking=True))
        return total / len(loader)

    def state_dict(self):
        return {"model": self.model.state_dict(), "head": self.head.state_dict(),
                "optims": [o.state_dict() for o in self.optims], "scaler": self.scaler.state_dict()}

    def load_state_dict(self, state):
        self.model.load_state_dict(state["model"])
        self.head.load_state_dict(state["head"])
        for o, s in zip(self.optims, state["optims"]):
            o.load_state_dict(s)
        self.scaler.load_state_dict(state["scaler"])
