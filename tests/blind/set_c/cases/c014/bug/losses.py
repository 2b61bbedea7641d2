import torch
from torch import nn


class WeightedFocalLoss(nn.Module):
    def __init__(self, class_counts, gamma=2.0):
        super().__init__()
        counts = torch.as_tensor(class_counts, dtype=torch.float32)
        self.register_buffer("alpha", counts.sum() / (len(class_counts) * counts))
        self.gamma = gamma

    def forward(self, logits, target):
        logp = logits.log_softmax(dim=-1)
        logpt = logp.gather(1, target.unsqueeze(1)).squeeze(1)
        weight = self.alpha.gather(0, target)
        return -(weight * (1 - logpt.exp()) ** self.gamma * logpt).mean()
