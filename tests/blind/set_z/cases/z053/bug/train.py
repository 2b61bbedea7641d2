import argparse
import logging
import os
import tempfile

import torch
from torch.utils.data import DataLoader, TensorDataset

from experiment import Experiment

logging.basicConfig(level=logging.WARNING)


def weights_at(epoch, total):
    ramp = min(1.0, (epoch + 1) / max(1, total))
    return {"class": ramp, "recon": 1.0}


def save(exp, folder, epoch):
    os.makedirs(folder, exist_ok=True)
    torch.save(exp.state_dict(), os.path.join(folder, f"ckpt_{epoch}.pt"))


parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=2)
parser.add_argument("--out", default=None)
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
exp = Experiment(device)
before = [p.detach().clone() for p in exp.nets["encoder"].parameters()]
data = TensorDataset(torch.randn(24, 6), torch.randint(0, 3, (24,)))
with tempfile.TemporaryDirectory() as tmp:
    for epoch in range(args.epochs):
        for x, y in DataLoader(data, batch_size=8, shuffle=True):
            logs = exp.train_batch(x, y, weights_at(epoch, args.epochs))
        logging.info("%d %s", epoch, logs)
        save(exp, args.out or tmp, epoch)
