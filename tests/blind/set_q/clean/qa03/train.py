import torch

from config import Config
from engine import Trainer
from engine import build_model


def make_data(n, dim):
    g = torch.Generator()
    g.manual_seed(0)
    x = torch.randn(n, dim, generator=g)
    w = torch.randn(dim, generator=g)
    return x, x @ w


if __name__ == "__main__":
    cfg = Config(epochs=3)
    x, y = make_data(160, cfg.dim)
    trainer = Trainer(build_model(cfg), cfg)
    trainer.fit(torch.utils.data.TensorDataset(x[:128], y[:128]), (x[128:], y[128:]))
    print(trainer.history)
