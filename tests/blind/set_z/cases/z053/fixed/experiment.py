import torch
from torch import nn
import torch.nn.functional as F


class Experiment:
    """Several networks, one optimizer each."""

    def __init__(self, device, lr=1e-2):
        self.device = device
        self.nets = {
            "encoder": nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 4)),
            "classifier": nn.Linear(4, 3),
            "decoder": nn.Linear(4, 6),
        }
        for net in self.nets.values():
            net.to(device)
        self.optims = {k: torch.optim.Adam(n.parameters(), lr=lr) for k, n in self.nets.items()}
        self.phase = "all"

    def active(self):
        if self.phase == "head":
            return ["classifier"]
        return list(self.nets)

    def zero_all(self):
        for o in self.optims.values():
            o.zero_grad()

    def step_all(self):
        for name in self.active():
            self.optims[name].step()

    def losses(self, x, y):
        z = self.nets["encoder"](x)
        yield "class", F.cross_entropy(self.nets["classifier"](z), y)
        yield "recon", F.mse_loss(self.nets["decoder"](z), x)

    def train_batch(self, x, y, weights):
        x, y = x.to(self.device), y.to(self.device)
        self.zero_all()
        logs, total = {}, 0.0
        for name, value in self.losses(x, y):
            total = total + weights[name] * value
            logs[name] = value.item()
        total.backward()
        self.step_all()
        return logs

    def state_dict(self):
        return {"nets": {k: n.state_dict() for k, n in self.nets.items()},
                "optims": {k: o.state_dict() for k, o in self.optims.items()}}
