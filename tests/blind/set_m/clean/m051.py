import torch
from torch import nn
from torch.utils.checkpoint import checkpoint


class Stage(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.ff = nn.Sequential(nn.LayerNorm(dim), nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))

    def forward(self, x, scale):
        return x + scale * self.ff(x)


class DeepNet(nn.Module):
    def __init__(self, dim=16, depth=4, save_memory=True):
        super().__init__()
        self.stages = nn.ModuleList(Stage(dim) for _ in range(depth))
        self.head = nn.Linear(dim, 2)
        self.save_memory = save_memory
        self.norms = []

    def forward(self, x):
        for i, stage in enumerate(self.stages):
            scale = 1.0 / (i + 1)
            if self.save_memory and self.training:
                x = checkpoint(stage, x, scale, use_reentrant=False)
            else:
                x = stage(x, scale)
        if x.requires_grad:
            x.register_hook(lambda g: self.norms.append(g.norm().item()))
        return self.head(x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = DeepNet().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for step in range(3):
    x = torch.randn(16, 16, device=device)
    y = (x.sum(1) > 0).long()
    loss = nn.functional.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item(), model.norms[-1])

model.eval()
with torch.no_grad():
    print(model(torch.randn(4, 16, device=device)).softmax(-1))
