import argparse

import torch

from gan_model import GANModel

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--lr", type=float, default=2e-4)
    parser.add_argument("--niter", type=int, default=3)
    opt = parser.parse_args()
    model = GANModel(opt)
    for i in range(opt.niter):
        model.set_input(torch.randn(8, 16))
        model.optimize_parameters()
        print(i, model.get_current_losses())
