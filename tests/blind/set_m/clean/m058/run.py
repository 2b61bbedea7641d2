import torch
from torch import nn
from rotary import Rotary


class Attention(nn.Module):
    def __init__(self, dim=16, heads=2):
        super().__init__()
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.rotary = Rotary(dim // heads)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(self.rotary(q), self.rotary(k), v, is_causal=True)
        return self.out(y.transpose(1, 2).reshape(b, n, d))


model = Attention()
with torch.no_grad():
    print("smoke test", model(torch.zeros(1, 6, 16)).shape)

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model.to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
for n in (4, 6, 9):
    x = torch.randn(2, n, 16, device=device)
    loss = nn.functional.mse_loss(model(x), x.roll(1, dims=1))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(n, loss.item())
