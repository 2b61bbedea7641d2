import numpy as np
import torch

device = torch.device("mps" if torch.backends.mps.is_available() else "cpu")
samples = np.random.default_rng(0).normal(size=(16, 3))
x = torch.from_numpy(samples).float().to(device)
cov = (x - x.mean(0)).t() @ (x - x.mean(0)) / (len(x) - 1)
print(cov.cpu())
