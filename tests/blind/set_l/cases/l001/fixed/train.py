from dataclasses import dataclass

import torch
import torch.nn.functional as F

from model import TinyLM


@dataclass
class Config:
    vocab: int = 40
    steps: int = 4
    lr: float = 3e-3
    device: str = "cuda" if torch.cuda.is_available() else "cpu"


def main(cfg):
    model = TinyLM(cfg.vocab).to(cfg.device)
    opt = torch.optim.AdamW(model.parameters(), lr=cfg.lr)
    for step in range(cfg.steps):
        ids = torch.randint(0, cfg.vocab, (8, 13), device=cfg.device)
        logits = model(ids[:, :-1])
        loss = F.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten())
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(f"step {step} loss {loss.item():.3f}")


if __name__ == "__main__":
    main(Config())
