import io
from contextlib import ExitStack
from dataclasses import asdict, dataclass

import torch
import torch.nn as nn


@dataclass
class LMConfig:
    vocab: int = 60
    dim: int = 32
    heads: int = 4
    layers: int = 2


class TinyLM(nn.Module):
    def __init__(self, vocab, dim, heads, layers):
        super().__init__()
        self.tok = nn.Embedding(vocab, dim)
        self.blocks = nn.ModuleList(
            nn.TransformerEncoderLayer(dim, heads, 2 * dim, dropout=0.0, batch_first=True) for _ in range(layers)
        )
        self.head = nn.Linear(dim, vocab, bias=False)

    def forward(self, ids):
        h = self.tok(ids)
        for block in self.blocks:
            h = block(h)
        return self.head(h)


def build(cfg, fast=True):
    with ExitStack() as stack:
        if fast:
            stack.enter_context(torch.device("meta"))
        return TinyLM(**asdict(cfg))


def restore(cfg, blob, device):
    model = build(cfg)
    model = model.to(device)
    model.load_state_dict(torch.load(blob, map_location="cpu", weights_only=True))
    return model.eval()


@torch.inference_mode()
def generate(model, prompt, steps):
    ids = prompt
    for _ in range(steps):
        nxt = model(ids)[:, -1].argmax(-1, keepdim=True)
        ids = torch.cat([ids, nxt], dim=1)
    return ids


if __name__ == "__main__":
    cfg = LMConfig()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    file = io.BytesIO()
    torch.save(build(cfg, fast=False).state_dict(), file)
    file.seek(0)
    lm = restore(cfg, file, device)
    print(generate(lm, torch.randint(0, cfg.vocab, (2, 5), device=device), 4).tolist())
