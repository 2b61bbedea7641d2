import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def chamfer(a, b):
    d = torch.cdist(a, b)
    return d.min(2).values.mean() + d.min(1).values.mean()


class CloudAE(nn.Module):
    def __init__(self, n=48, z=16):
        super().__init__()
        self.n = n
        self.enc = nn.Sequential(nn.Linear(3, 32), nn.ReLU(), nn.Linear(32, z))
        self.dec = nn.Sequential(nn.Linear(z, 64), nn.ReLU(), nn.Linear(64, n * 3))

    def forward(self, pts):
        code = self.enc(pts).amax(1)
        return self.dec(code).view(-1, self.n, 3)


clouds = torch.randn(32, 128, 3).to(device)
net = CloudAE().to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)

for step in range(4):
    pick = torch.randperm(len(clouds))[:8]
    sub = torch.randperm(clouds.shape[1])[:48]
    pts = clouds[pick][:, sub]
    keep = torch.rand(pts.shape[1]) > 0.1
    pts = pts[:, keep]
    out = net(pts)
    loss = chamfer(out, pts)
    reg = torch.tensor(1e-4)
    loss = loss + reg * out.pow(2).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()

with torch.no_grad():
    final = chamfer(net(clouds), clouds)
print(f"chamfer {final.item():.4f}")
