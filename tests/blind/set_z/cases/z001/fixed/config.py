import argparse
import logging

import torch


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("segmentation trainer")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--batch-size", type=int, default=4)
    parser.add_argument("--lr", type=float, default=1e-3)
    parser.add_argument("--num-classes", type=int, default=5)
    parser.add_argument("--loss", choices=["ce", "dice", "mixed"], default="mixed")
    parser.add_argument("--cpu", action="store_true")
    return parser


def get_config(argv=None):
    args = build_parser().parse_args(argv)
    use_cuda = torch.cuda.is_available() and not args.cpu
    args.device = torch.device("cuda" if use_cuda else "cpu")
    logging.basicConfig(level=logging.INFO)
    return args
