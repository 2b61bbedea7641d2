import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

from loop.addons import attach_clearing, attach_clipping, attach_history
from loop.train import Loop


class SparseAE(nn.Module):
    def __init__(self, inp=16, code=32, k=6):
        super().__init__()
        self.enc, self.dec, self.k = nn.Linear(inp, code), nn.Linear(code, inp), k

    def forward(self, x):
        h = F.relu(self.enc(x))
        top = h.topk(self.k, dim=-1)
        return self.dec(torch.zeros_like(h).scatter(-1, top.indices, top.values))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = SparseAE().to(device)
start = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
loop = Loop(model, torch.optim.Adam(model.parameters(), lr=1e-2), F.mse_loss)
losses = []
attach_history(loop, losses)
attach_clipping(loop, 1.0)
attach_clearing(loop)
data = torch.randn(64, 4) @ torch.randn(4, 16)
for epoch in range(3):
    loop.run(DataLoader(data, batch_size=16, shuffle=True), device)
    print(epoch, sum(losses[-4:]) / 4)
