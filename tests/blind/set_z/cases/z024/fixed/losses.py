import torch
from torch import nn
import torch.nn.functional as F


class FocalLoss(nn.Module):
    def __init__(self, gamma=2.0, class_weights=None):
        super().__init__()
        self.gamma = gamma
        if class_weights is not None:
            class_weights = torch.as_tensor(class_weights, dtype=torch.float32)
        self.register_buffer("class_weights", class_weights)

    def forward(self, logits, target):
        logp = F.log_softmax(logits, dim=-1)
        picked = logp.gather(1, target[:, None]).squeeze(1)
        loss = -((1 - picked.exp()) ** self.gamma) * picked
        if self.class_weights is not None:
            loss = loss * self.class_weights[target]
        return loss.mean()


def mixup(x, y, alpha=0.4):
    """Returns mixed inputs, pairs of targets, and lambda."""
    lam = float(torch.distributions.Beta(alpha, alpha).sample())
    index = torch.randperm(x.size(0), device=x.device)
    return lam * x + (1 - lam) * x[index], y, y[index], lam
