"""Autoregressive sampling for a decoder-only language model."""
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class SamplerConfig:
    max_new_tokens: int = 6
    top_k: int = 5
    temperature: float = 0.9
    eos_id: int = 1
    pad_id: int = 0


class TinyDecoder(nn.Module):
    def __init__(self, vocab=20, width=16):
        super().__init__()
        self.tok = nn.Embedding(vocab, width)
        self.rnn = nn.GRU(width, width, batch_first=True)
        self.head = nn.Linear(width, vocab)

    @property
    def device(self):
        return self.tok.weight.device

    def forward(self, ids):
        h, _ = self.rnn(self.tok(ids))
        return self.head(h)


def filter_top_k(logits, k):
    kth = logits.topk(k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < kth, float("-inf"))


@torch.inference_mode()
def generate(model, prompt, cfg=SamplerConfig()):
    ids = prompt.to(model.device)
    alive = torch.ones(ids.size(0), dtype=torch.bool)
    for _ in range(cfg.max_new_tokens):
        logits = model(ids)[:, -1] / cfg.temperature
        probs = filter_top_k(logits, cfg.top_k).softmax(-1)
        token = torch.multinomial(probs, 1).squeeze(1)
        token = torch.where(alive, token, torch.full_like(token, cfg.pad_id))
        alive = alive & (token != cfg.eos_id)
        ids = torch.cat([ids, token[:, None]], dim=1)
        if not alive.any():
            break
    return ids
