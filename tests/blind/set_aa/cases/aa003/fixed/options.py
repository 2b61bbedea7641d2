import argparse


def get_args(argv=None):
    p = argparse.ArgumentParser(description="contrastive pretraining")
    p.add_argument("--epochs", type=int, default=1)
    p.add_argument("--dim", type=int, default=16)
    p.add_argument("--temp", type=float, default=0.2)
    p.add_argument("--lr", type=float, default=1e-3)
    p.add_argument("--device", default=None)
    return p.parse_args(argv)
