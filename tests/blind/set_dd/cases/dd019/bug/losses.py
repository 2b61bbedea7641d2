import torch
from torch import nn
import torch.nn.functional as F


def dice_per_class(prob, onehot, eps=1e-5):
    dims = (0, 2, 3)
    inter = (prob * onehot).sum(dims)
    return 1 - (2 * inter + eps) / (prob.sum(dims) + onehot.sum(dims) + eps)


class DeepSupervisionLoss(nn.Module):
    """Weighted Dice over the decoder outputs, finest resolution first."""

    def __init__(self, n_classes, weights=(1.0, 0.5)):
        super().__init__()
        self.n_classes, self.weights = n_classes, weights

    def forward(self, outputs, target):
        terms = []
        for w, logits in zip(self.weights, outputs):
            t = F.interpolate(target[:, None].float(), size=logits.shape[-2:], mode="nearest")
            onehot = F.one_hot(t[:, 0].long(), self.n_classes).permute(0, 3, 1, 2)
            terms.append(w * dice_per_class(logits.softmax(1), onehot).mean())
        return torch.tensor(terms, device=target.device, requires_grad=True).sum()
