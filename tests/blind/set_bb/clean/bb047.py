import argparse
import os
import pathlib
import random
import tempfile
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvVAE(nn.Module):
    def __init__(self, z=4):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 16, 2 * z))
        self.dec = nn.Sequential(nn.Linear(z, 8 * 16), nn.ReLU(), nn.Unflatten(1, (8, 4, 4)), nn.ConvTranspose2d(8, 1, 2, 2))

    def forward(self, x):
        mu, logvar = self.enc(x).chunk(2, 1)
        z = mu + torch.randn_like(mu) * (0.5 * logvar).exp()
        return self.dec(z), mu, logvar


def loss_fn(x, out, beta):
    rec, mu, logvar = out
    kl = -0.5 * (1 + logvar - mu ** 2 - logvar.exp()).sum(1).mean()
    return F.binary_cross_entropy_with_logits(rec, x, reduction="none").flatten(1).sum(1).mean() + beta * kl


class Checkpointer:
    def __init__(self, folder, keep=2):
        self.folder, self.keep = pathlib.Path(folder), keep

    def files(self):
        return sorted(self.folder.glob("ep*.pt"))

    def save(self, epoch, **things):
        blob = {k: v.state_dict() for k, v in things.items()}
        blob["epoch"] = epoch
        blob["rng"] = {"torch": torch.get_rng_state(), "py": random.random()}
        tmp = self.folder / "tmp"
        torch.save(blob, tmp)
        os.replace(tmp, self.folder / f"ep{epoch:03d}.pt")
        for old in self.files()[:-self.keep]:
            old.unlink()

    def restore(self, device, **things):
        if not self.files():
            return 0
        blob = torch.load(self.files()[-1], map_location=device)
        for k, v in things.items():
            v.load_state_dict(blob[k])
        torch.set_rng_state(blob["rng"]["torch"].cpu())
        return blob["epoch"] + 1


def main(argv=None, folder=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--epochs", type=int, default=2)
    ap.add_argument("--beta", type=float, default=0.5)
    args = ap.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ConvVAE().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=2e-3)
    sched = torch.optim.lr_scheduler.StepLR(opt, 1, 0.9)
    ck = Checkpointer(folder)
    parts = dict(model=model, opt=opt, sched=sched)
    first = ck.restore(device, **parts)
    data = torch.rand(48, 1, 8, 8)
    for epoch in range(first, args.epochs):
        model.train()
        seen = []
        for x in data[torch.randperm(48)].split(16):
            x = x.to(device)
            loss = loss_fn(x, model(x), args.beta)
            opt.zero_grad()
            loss.backward()
            opt.step()
            seen.append(loss.item())
        sched.step()
        ck.save(epoch, **parts)
        print(epoch, np.mean(seen))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as tmp:
        main(["--epochs", "1"], tmp)
        main(None, tmp)
