import torch

from hmc import HMC
from targets import Banana, LogisticPosterior

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def autocorr(x):
    x = x - x.mean(0)
    return (x[1:] * x[:-1]).mean(0) / x.var(0, unbiased=False).clamp(min=1e-9)


def main():
    x = torch.randn(50, 3)
    y = (x[:, 0] - x[:, 1] > 0).float()
    for target, start in ((Banana(), torch.zeros(8, 2)), (LogisticPosterior(x.to(device), y.to(device)), torch.zeros(8, 3))):
        sampler = HMC(target, step=0.15, leaps=5)
        chain = sampler.run(start.to(device), n=12, warmup=8)
        print(type(target).__name__, chain.mean((0, 1)).cpu().numpy().round(2), autocorr(chain[:, 0]).tolist(), round(sampler.accept_rate, 2))


if __name__ == "__main__":
    main()
