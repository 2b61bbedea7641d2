import torch
import torch.nn as nn
import torch.nn.functional as F

TEMPERATURE = torch.tensor(1.5)


class MultiTask(nn.Module):
    def __init__(self, inp=10, hid=24):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(inp, hid), nn.ReLU())
        self.heads = nn.ModuleDict({"depth": nn.Linear(hid, 1), "sem": nn.Linear(hid, 4), "edge": nn.Linear(hid, 1)})

    def forward(self, x):
        h = self.shared(x)
        out = {k: head(h) for k, head in self.heads.items()}
        out["sem"] = out["sem"] / TEMPERATURE
        return out


def task_losses(out, target):
    return {
        "depth": F.smooth_l1_loss(out["depth"].squeeze(1), target["depth"]),
        "sem": F.cross_entropy(out["sem"], target["sem"]),
        "edge": F.binary_cross_entropy_with_logits(out["edge"].squeeze(1), target["edge"]),
    }
