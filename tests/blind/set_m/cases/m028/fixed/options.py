import argparse
import torch


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=5)
    p.add_argument("--lr", type=float, default=2e-4)
    p.add_argument("--cpu", action="store_true")
    opt = p.parse_args()
    use_cuda = torch.cuda.is_available() and not opt.cpu
    opt.device = torch.device("cuda" if use_cuda else "cpu")
    return opt
