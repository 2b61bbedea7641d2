import torch

import models  # noqa: F401  (fills the registry)
from registry import MODELS, get_loss

CONFIG = {
    "model": {"name": "mlp", "inp": 6, "hidden": 24},
    "loss": "huber",
    "lr": 1e-2,
    "device": "cuda" if torch.cuda.is_available() else "cpu",
}


class Experiment:
    def __init__(self, cfg):
        spec = dict(cfg["model"])
        self.device = torch.device(cfg["device"])
        self.model = MODELS[spec.pop("name")](**spec).to(self.device)
        self.criterion = get_loss(cfg["loss"])
        self.opt = torch.optim.Adam(self.model.parameters(), lr=cfg["lr"])

    def run(self, steps):
        for i in range(steps):
            x = torch.randn(32, 6, device=self.device)
            y = x.pow(2).sum(1, keepdim=True)
            self.opt.zero_grad()
            loss = self.criterion(self.model(x), y)
            loss.backward()
            self.opt.step()
            if i % 5 == 0:
                print(i, f"{loss.item():.4f}")


if __name__ == "__main__":
    Experiment(CONFIG).run(12)
