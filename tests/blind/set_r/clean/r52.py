import torch
import torch.nn as nn
import torch.nn.functional as F


class RelativeBias(nn.Module):
    def __init__(self, heads, reach):
        super().__init__()
        self.heads = heads
        self.offsets = nn.Parameter(torch.arange(-reach, reach + 1), requires_grad=False)
        self.slopes = nn.Parameter(2.0 ** -torch.arange(1, heads + 1))
        self.power = nn.Parameter(torch.tensor(1.0))
        self.reach = reach

    def forward(self, n):
        pos = torch.arange(n, device=self.slopes.device)
        far = (pos[:, None] - pos[None, :]).clamp(-self.reach, self.reach)
        far = self.offsets[far + self.reach].abs()
        return -self.slopes[:, None, None] * (far + 1).float() ** self.power


class Pooling(nn.Module):
    def __init__(self, dim, heads=2):
        super().__init__()
        self.bias = RelativeBias(heads, 5)
        self.value = nn.Linear(dim, dim)
        self.heads = heads

    def forward(self, x):
        b, n, d = x.shape
        v = self.value(x).view(b, n, self.heads, -1).transpose(1, 2)
        return (self.bias(n).softmax(-1) @ v).transpose(1, 2).reshape(b, n, d)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
layer = Pooling(8).to(device)
trained = [p for p in layer.parameters() if p.requires_grad]
optimizer = torch.optim.Adam(trained, lr=1e-2)
start = torch.linspace(0, 1, steps=8, device=device, requires_grad=True)
grid = torch.tensor([[1, 2], [3, 4]], dtype=torch.float32, device=device, requires_grad=True)

for step in range(4):
    x = torch.randn(3, 7, 8, device=device)
    loss = F.mse_loss(layer(x + start), x.roll(1, dims=1)) + 1e-3 * grid.pow(2).sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        for extra in (start, grid):
            extra -= 0.01 * extra.grad
            extra.grad = None
    print(step, loss.item(), layer.bias.power.item())
