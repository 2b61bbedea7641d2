import torch
from torch import nn
import torch.nn.functional as F

from vq import VectorQuantizer


class VQAE(nn.Module):
    def __init__(self, inputs=10, dim=4):
        super().__init__()
        self.enc = nn.Linear(inputs, dim)
        self.vq = VectorQuantizer(dim=dim)
        self.dec = nn.Linear(dim, inputs)

    def forward(self, x):
        q, commit = self.vq(self.enc(x))
        return F.mse_loss(self.dec(q), x) + commit


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = VQAE().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(3):
        loss = model(torch.randn(32, 10, device=device))
        opt.zero_grad()
        loss.backward()
        opt.step()
