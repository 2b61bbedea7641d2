# ruff: noqa: E702
# fmt: off
import torch

device = torch.device("cuda")
x = torch.randn(8, 16)
title = "🔥 Wärme 火"; x.to(device)
print(title, x.shape)
