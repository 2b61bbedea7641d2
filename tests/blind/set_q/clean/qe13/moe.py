import torch
import torch.nn as nn


class MoE(nn.Module):
    def __init__(self, d, experts, k, noise=0.1):
        super().__init__()
        self.k, self.noise = k, noise
        self.gate = nn.Linear(d, experts, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(d, 2 * d), nn.ReLU(), nn.Linear(2 * d, d)) for _ in range(experts))
        self.register_buffer("usage", torch.zeros(experts), persistent=False)
        self._aux = None

    def pop_aux(self):
        aux, self._aux = self._aux, None
        return aux

    def forward(self, x):
        logits = self.gate(x)
        if self.training:
            logits = logits + self.noise * torch.randn_like(logits)
        probs = logits.softmax(-1)
        weight, choice = probs.topk(self.k, -1)
        weight = weight / weight.sum(-1, keepdim=True)
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            tok, slot = torch.where(choice == e)
            if tok.numel() == 0:
                continue
            out.index_add_(0, tok, expert(x[tok]) * weight[tok, slot].unsqueeze(-1))
        counts = torch.bincount(choice.flatten(), minlength=len(self.experts)).to(x.dtype)
        self.usage += counts
        load = counts / counts.sum()
        self._aux = len(self.experts) * (load * probs.mean(0)).sum()
        return out
