import torch
import torch.nn as nn


class WeightedFocal(nn.Module):
    def __init__(self, counts, gamma=2.0, beta=0.99):
        super().__init__()
        self.gamma = gamma
        n = torch.as_tensor(counts, dtype=torch.float32)
        w = (1 - beta) / (1 - beta ** n)
        self.register_buffer("alpha", w / w.sum() * len(w))

    def forward(self, logits, target):
        logp = logits.log_softmax(-1).gather(1, target[:, None]).squeeze(1)
        focus = (1 - logp.exp()) ** self.gamma
        return -(self.alpha.index_select(0, target) * focus * logp).mean()
