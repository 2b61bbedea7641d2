import argparse
import os
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from amp_trainer import AmpTrainer


def make(args):
    torch.manual_seed(args.seed)
    trunk = nn.Sequential(nn.Linear(8, 16), nn.LayerNorm(16), nn.GELU())
    return AmpTrainer(trunk, nn.Linear(16, 3), args)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--amp", action=argparse.BooleanOptionalAction, default=True)
    p.add_argument("--accum", type=int, default=2)
    p.add_argument("--clip", type=float, default=1.0)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--seed", type=int, default=0)
    args = p.parse_args()
    trainer = make(args)
    ds = TensorDataset(torch.randn(32, 8), torch.randint(0, 3, (32,)))
    loader = DataLoader(ds, 8, shuffle=True, pin_memory=torch.cuda.is_available())
    print(trainer.fit(loader))
    path = os.path.join(tempfile.mkdtemp(), "last.pt")
    torch.save(trainer.state_dict(), path)
    again = make(args)
    again.load_state_dict(torch.load(path, map_location=again.device))
    print(again.fit(loader))


if __name__ == "__main__":
    main()
