import copy
import time
import torch
from torch import nn


class Ranker(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.score = nn.Sequential(nn.Linear(dim, 48), nn.ReLU(), nn.Linear(48, 1))

    def forward(self, x):
        return self.score(x).squeeze(-1)


def bench(model, x, n=5):
    with torch.inference_mode():
        model(x)
        start = time.perf_counter()
        for _ in range(n):
            model(x)
    return (time.perf_counter() - start) / n


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Ranker().eval()
    x = torch.randn(256, 24)
    model_cpu = model.to("cpu")
    model_dev = model.to(device)
    t_cpu = bench(model_cpu, x)
    t_dev = bench(model_dev, x.to(device))
    print(f"cpu {t_cpu * 1e3:.3f} ms, {device} {t_dev * 1e3:.3f} ms")
    with torch.inference_mode():
        diff = (model_cpu(x) - model_dev(x.to(device)).cpu()).abs().max()
    print("max difference", diff.item())


if __name__ == "__main__":
    main()
