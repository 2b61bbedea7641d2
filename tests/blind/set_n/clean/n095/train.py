import torch
from torch import nn
from vq import VectorQuantizer


class VQVAE(nn.Module):
    def __init__(self, d=12, z=4, codes=8):
        super().__init__()
        self.enc, self.vq, self.dec = nn.Linear(d, z), VectorQuantizer(codes, z), nn.Linear(z, d)

    def forward(self, x):
        q, commit, ids = self.vq(self.enc(x))
        return self.dec(q), commit, ids


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = VQVAE().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
used = set()
for _ in range(4):
    x = torch.randn(6, 5, 12, device=device)
    out, commit, ids = model(x)
    loss = (out - x).pow(2).mean() + commit
    opt.zero_grad()
    loss.backward()
    opt.step()
    used.update(ids.unique().tolist())
print(len(used), "codes in use")
