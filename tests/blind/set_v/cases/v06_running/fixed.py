import torch
from torch import nn


class RunningMoments(nn.Module):
    """Feature moments. On the host the sums are kept in double, on the accelerator in single precision."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.register_buffer("count", torch.zeros(()))
        self.register_buffer("total", torch.zeros(dim))
        self.register_buffer("square", torch.zeros(dim))

    def on_host(self):
        return self.total.device.type == "cpu"

    def reset(self):
        dtype = torch.float64 if self.on_host() else torch.float32
        for name in ("count", "total", "square"):
            buf = getattr(self, name)
            setattr(self, name, torch.zeros_like(buf, dtype=dtype))
        return self

    def update(self, feats):
        feats = feats.to(self.total.dtype)
        self.count += feats.size(0)
        self.total += feats.sum(0)
        self.square += feats.pow(2).sum(0)

    def compute(self):
        mean = self.total / self.count
        return mean, self.square / self.count - mean**2


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
extractor = nn.Sequential(nn.Linear(12, 6), nn.ReLU()).to(device).eval()
moments = RunningMoments(6).to(device).reset()
with torch.no_grad():
    for _ in range(5):
        images = torch.randn(20, 12, device=device) + 1000.0
        moments.update(extractor(images))
mean, var = moments.compute()
print(mean.tolist(), var.tolist())
