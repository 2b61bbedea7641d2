import torch
from torch.optim.lr_scheduler import LambdaLR


def split_decay(named):
    """named_parameters() -> groups with and without weight decay."""
    named = [(n, p) for n, p in named if p.requires_grad]
    plain = [p for n, p in named if p.ndim < 2 or n.endswith("bias")]
    decayed = [p for n, p in named if not (p.ndim < 2 or n.endswith("bias"))]
    return plain, decayed


class OptimizerBuilder:
    kinds = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}

    def __init__(self, kind="adamw", lr=1e-3, wd=0.05, warmup=3):
        self.cls, self.lr, self.wd, self.warmup = self.kinds[kind], lr, wd, warmup

    def __call__(self, model):
        plain, decayed = split_decay(model.named_parameters())
        opt = self.cls([{"params": plain, "weight_decay": 0.0}, {"params": decayed}], lr=self.lr, weight_decay=self.wd)
        return opt, LambdaLR(opt, lambda s: min(1.0, (s + 1) / self.warmup))
