import torch
from torch import nn


class WindowAttention(nn.Module):
    def __init__(self, dim=16, window=4, heads=2):
        super().__init__()
        self.heads, self.window = heads, window
        pos = torch.arange(window)
        idx = pos[:, None] - pos[None, :] + window - 1
        # kept as a Parameter so that old checkpoints load; never trained
        self.index = nn.Parameter(idx, requires_grad=False)
        self.slopes = nn.Parameter(torch.arange(1.0, heads + 1))
        self.scale = nn.Parameter(torch.full((heads, 1, 1), 1 / 4))
        self.bias = nn.Parameter(torch.zeros(2 * window - 1, heads))
        self.qkv = nn.Linear(dim, 3 * dim)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        bias = self.bias[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1)
        att = (q @ k.transpose(-2, -1)) * self.scale + bias * self.slopes.view(-1, 1, 1)
        out = att.softmax(-1) @ v
        return self.proj(out.transpose(1, 2).reshape(b, n, d))


def trainable(module):
    return [p for p in module.parameters() if p.requires_grad]


model = WindowAttention()
optimizer = torch.optim.AdamW(trainable(model), lr=1e-3)
x, y = torch.randn(8, 4, 16), torch.randn(8, 4, 16)
for it in range(4):
    loss = nn.functional.mse_loss(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
assert model.index.dtype == torch.int64 and not model.index.requires_grad
print(it, loss.item())
