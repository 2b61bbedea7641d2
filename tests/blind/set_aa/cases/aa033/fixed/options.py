import argparse

import torch


class Options:
    def __init__(self):
        self.parser = argparse.ArgumentParser()
        add = self.parser.add_argument
        add("--device", default="cuda" if torch.cuda.is_available() else "cpu")
        add("--classes", type=int, default=6)
        add("--niter", type=int, default=2)
        add("--lambda_center", type=float, default=0.01)
        add("--margin", type=float, default=0.3)

    def parse(self):
        opt = self.parser.parse_args()
        opt.device = torch.device(opt.device)
        return opt
