"""Soft prompt tuning on top of a frozen encoder."""
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class PromptConfig:
    vocab: int = 40
    dim: int = 16
    n_prompt: int = 4
    classes: int = 3
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


class Encoder(nn.Module):
    def __init__(self, cfg: PromptConfig):
        super().__init__()
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.rnn = nn.GRU(cfg.dim, cfg.dim, batch_first=True)

    def forward(self, emb):
        out, _ = self.rnn(emb)
        return out[:, -1]


class PromptTuner(nn.Module):
    def __init__(self, encoder: Encoder, cfg: PromptConfig):
        super().__init__()
        self.encoder = encoder.requires_grad_(False)
        self.head = nn.Linear(cfg.dim, cfg.classes).to(cfg.device)
        self.prompt = self._init_prompt(cfg)

    def _init_prompt(self, cfg: PromptConfig):
        rows = torch.randperm(cfg.vocab)[: cfg.n_prompt]
        start = self.encoder.embed.weight.detach()[rows.to(cfg.device)].cpu()
        return nn.Parameter(start.clone().to(cfg.device))

    def forward(self, ids):
        tokens = self.encoder.embed(ids)
        prefix = self.prompt.unsqueeze(0).expand(ids.size(0), -1, -1)
        return self.head(self.encoder(torch.cat([prefix, tokens], dim=1)))


def train(cfg: PromptConfig):
    encoder = Encoder(cfg).to(cfg.device)
    tuner = PromptTuner(encoder, cfg)
    trainable = [p for p in tuner.parameters() if p.requires_grad]
    opt = torch.optim.AdamW(trainable, lr=1e-2)
    criterion = nn.CrossEntropyLoss()
    for _ in range(3):
        ids = torch.randint(0, cfg.vocab, (8, 6), device=cfg.device)
        target = torch.randint(0, cfg.classes, (8,), device=cfg.device)
        opt.zero_grad()
        criterion(tuner(ids), target).backward()
        opt.step()
    return tuner


if __name__ == "__main__":
    tuner = train(PromptConfig())
