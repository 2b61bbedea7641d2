import os

import torch


class Trainer:
    def __init__(self, model, workdir, device, lr=1e-2):
        self.device = torch.device(device)
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.path = os.path.join(workdir, "last.pt")
        self.epoch = 0
        self.best = float("inf")

    def save(self):
        tmp = self.path + ".tmp"
        torch.save({
            "model": self.model.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "epoch": self.epoch,
            "best": self.best,
            "rng": torch.get_rng_state(),
        }, tmp)
        os.replace(tmp, self.path)

    def load(self):
        if not os.path.exists(self.path):
            return False
        ckpt = torch.load(self.path, map_location="cpu", weights_only=True)
        self.model.load_state_dict(ckpt["model"])
        self.optimizer.load_state_dict(ckpt["optimizer"])
        self.epoch, self.best = ckpt["epoch"], ckpt["best"]
        torch.set_rng_state(ckpt["rng"])
        return True

    def fit(self, batches, epochs):
        while self.epoch < epochs:
            total = 0.0
            for x, y in batches:
                loss = torch.nn.functional.mse_loss(self.model(x.to(self.device)), y.to(self.device))
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                total += loss.item()
            self.epoch += 1
            self.best = min(self.best, total / len(batches))
            self.save()
        return self.best
