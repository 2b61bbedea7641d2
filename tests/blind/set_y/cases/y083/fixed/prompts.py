import torch
from torch import nn


class PromptLearner(nn.Module):
    """Learned context vectors in front of fixed class name embeddings."""

    def __init__(self, class_vectors, n_ctx=4, device="cpu"):
        super().__init__()
        n_cls, length, dim = class_vectors.shape
        ctx = torch.empty(n_ctx, dim)
        nn.init.normal_(ctx, std=0.02)
        self.ctx = nn.Parameter(ctx.to(device))
        self.register_buffer("names", class_vectors.to(device))
        self.scale = nn.Parameter(torch.tensor(2.0, device=device))

    def forward(self):
        ctx = self.ctx.unsqueeze(0).expand(self.names.size(0), -1, -1)
        return torch.cat([ctx, self.names], dim=1), self.scale.exp()
