import argparse
import json

import torch
from torch import nn

from profiler import Stopwatch
from runtime import Runtime


class ResidualMLP(nn.Module):
    def __init__(self, dim=16, depth=3):
        super().__init__()
        self.blocks = nn.ModuleList(nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, dim), nn.GELU())
                                    for _ in range(depth))

    def forward(self, x):
        for b in self.blocks:
            x = x + b(x)
        return x


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("--repeat", type=int, default=3)
    ap.add_argument("--no-amp", dest="amp", action="store_false")
    ap.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    args = ap.parse_args()
    model = ResidualMLP().to(args.device).eval()
    runtime = Runtime(model, amp=args.amp)
    watch = Stopwatch("cpu")
    for i in range(args.repeat):
        with watch.section(f"run{i}"):
            out = runtime.predict(torch.randn(8, 16))
    results = {"amp": runtime.use_amp, "dtype": str(out.dtype), **watch.report()}
    print(json.dumps(results))
    return results


if __name__ == "__main__":
    results = main()
