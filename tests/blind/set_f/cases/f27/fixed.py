"""Learned soft prompts in front of a frozen language model."""
import torch
from torch import nn


class SoftPrompt(nn.Module):
    def __init__(self, lm_embed: nn.Embedding, n_tokens: int = 4, device: str = "cpu"):
        super().__init__()
        self.lm_embed = lm_embed
        init = torch.empty(n_tokens, lm_embed.embedding_dim).normal_(std=0.02)
        self.prompt = nn.Parameter(init.to(device))

    def forward(self, ids):
        tokens = self.lm_embed(ids)
        prompt = self.prompt.unsqueeze(0).expand(ids.size(0), -1, -1)
        return torch.cat([prompt, tokens], dim=1)


class PromptedLM(nn.Module):
    def __init__(self, vocab=30, dim=16, device="cpu"):
        super().__init__()
        embed = nn.Embedding(vocab, dim, device=device)
        embed.weight.requires_grad_(False)
        self.soft = SoftPrompt(embed, device=device)
        self.body = nn.GRU(dim, dim, batch_first=True, device=device)
        self.head = nn.Linear(dim, vocab, device=device)
        for p in self.body.parameters():
            p.requires_grad_(False)

    def forward(self, ids):
        h, _ = self.body(self.soft(ids))
        return self.head(h[:, -1])


def tuned_parameters(model):
    return {name: p for name, p in model.named_parameters() if p.requires_grad}


def make_optimizer(model, lr=0.3):
    return torch.optim.AdamW(tuned_parameters(model).values(), lr=lr)
