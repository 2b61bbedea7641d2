import torch
import torch.nn as nn


class SoftPrompt(nn.Module):
    """Learned vectors put before the embedded tokens."""

    def __init__(self, length, dim, device, init=None):
        super().__init__()
        start = init if init is not None else torch.randn(length, dim) * 0.5
        self.vectors = nn.Parameter(start.to(device))

    def forward(self, emb):
        return torch.cat([self.vectors.expand(emb.size(0), -1, -1), emb], dim=1)


class PromptedLM(nn.Module):
    def __init__(self, lm, prompt):
        super().__init__()
        self.lm, self.prompt = lm.requires_grad_(False), prompt

    def forward(self, ids):
        out = self.lm.encode(self.prompt(self.lm.embed(ids)))
        return self.lm.head(out[:, -1])
