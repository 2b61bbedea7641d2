import torch
from torch import nn

from config import Config
from trainer import Trainer


class Gated(nn.Module):
    def __init__(self, dim, width):
        super().__init__()
        self.value, self.gate = nn.Linear(dim, width), nn.Linear(dim, width)
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        return self.out(self.value(x) * self.gate(x).sigmoid())


def main():
    cfg = Config()
    trainer = Trainer(cfg, Gated(cfg.dim, cfg.width))
    losses = []
    trainer.callbacks.append(lambda loss, norms: losses.append(loss))
    trainer.callbacks.append(lambda loss, norms: print(f"{loss:.4f}", max(norms, key=norms.get)))
    for _ in range(cfg.steps):
        x = torch.randn(32, cfg.dim, device=cfg.device)
        trainer.step(x, x[:, :1] * x[:, 1:2].relu())
    print("mean", sum(losses) / len(losses))


if __name__ == "__main__":
    main()
