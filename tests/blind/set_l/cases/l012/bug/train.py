import torch
import torch.nn as nn
import torch.nn.functional as F

from ema import EMA

CONFIG = {
    "model": {"in_dim": 6, "width": 24},
    "optim": {"name": "adamw", "lr": 2e-3},
    "train": {"steps": 6, "batch": 16, "eval_every": 3},
}
OPTIMIZERS = {"adamw": torch.optim.AdamW, "sgd": torch.optim.SGD}


class Autoencoder(nn.Module):
    def __init__(self, in_dim, width):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(in_dim, width), nn.BatchNorm1d(width), nn.SiLU(), nn.Linear(width, 2))
        self.dec = nn.Sequential(nn.Linear(2, width), nn.SiLU(), nn.Linear(width, in_dim))

    def forward(self, x):
        return self.dec(self.enc(x))


class Experiment:
    def __init__(self, config):
        self.config = config
        self.model = Autoencoder(**config["model"])
        self.ema = EMA(self.model)
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model.to(self.device)
        opt = dict(config["optim"])
        self.optimizer = OPTIMIZERS[opt.pop("name")](self.model.parameters(), **opt)

    def sample(self):
        return torch.randn(self.config["train"]["batch"], self.config["model"]["in_dim"], device=self.device)

    @torch.no_grad()
    def evaluate(self):
        self.ema.swap_in(self.model)
        self.model.eval()
        x = self.sample()
        err = F.mse_loss(self.model(x), x).item()
        self.ema.swap_out(self.model)
        self.model.train()
        return err

    def run(self):
        for step in range(1, self.config["train"]["steps"] + 1):
            x = self.sample()
            loss = F.mse_loss(self.model(x), x)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.ema.update(self.model)
            if step % self.config["train"]["eval_every"] == 0:
                print(step, loss.item(), self.evaluate())


if __name__ == "__main__":
    Experiment(CONFIG).run()
