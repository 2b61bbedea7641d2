import torch
import torch.nn.functional as F


class TaskObjective:
    def __init__(self, head):
        self.head = head

    def __call__(self, ctx):
        return F.cross_entropy(self.head(ctx["feat_s"]), ctx["y"])


class DomainObjective:
    def __init__(self, head, coeff=0.3):
        self.head, self.coeff = head, coeff

    def __call__(self, ctx):
        feat = torch.cat([ctx["feat_s"], ctx["feat_t"]])
        label = torch.cat([torch.ones_like(ctx["feat_s"][:, 0]), torch.zeros_like(ctx["feat_t"][:, 0])])
        return F.binary_cross_entropy_with_logits(self.head(feat, self.coeff), label)
