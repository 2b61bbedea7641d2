import torch
from torch import nn


class CausalDecay(nn.Module):
    def __init__(self, dim=12):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.decay = nn.Parameter(torch.zeros(dim))

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        rate = torch.sigmoid(self.decay)
        out = torch.zeros_like(v)
        state = torch.zeros_like(v[:, 0])
        for t in range(x.size(1)):
            state = rate * state + k[:, t] * v[:, t]
            out[:, t] = q[:, t] * state
        return out


class Augment:
    def __init__(self, p=0.5):
        self.p = p

    def __call__(self, batch):
        batch = batch.clone()
        for item in batch.unbind(0):
            if torch.rand(()) < self.p:
                item.mul_(-1)
        return batch


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = nn.Sequential(CausalDecay(), nn.Linear(12, 1)).to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
augment = Augment()
for step in range(4):
    x = augment(torch.randn(4, 7, 12)).to(device)
    y = x.mean(-1, keepdim=True).cumsum(1)
    loss = nn.functional.mse_loss(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
