import argparse
import os

import torch

from diffusion import Denoiser, Sampler, Schedule


def load_model(path, device):
    model = Denoiser()
    if path and os.path.exists(path):
        model.load_state_dict(torch.load(path, map_location="cpu"))
    return model.to(device).eval()


def statistics(x):
    return {"mean": x.mean(0).tolist(), "std": x.std(0).tolist()}


def main(argv=None):
    parser = argparse.ArgumentParser(description="draw samples")
    parser.add_argument("--ckpt", default="")
    parser.add_argument("--n", type=int, default=8)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args(argv)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sampler = Sampler(load_model(args.ckpt, device), Schedule().to(device), seed=args.seed)
    print(statistics(sampler(args.n)))


if __name__ == "__main__":
    main()
