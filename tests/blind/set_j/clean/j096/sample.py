import torch
import torch.nn as nn

from diffusion import GaussianDiffusion


class Net(nn.Module):
    def __init__(self, T, c=8):
        super().__init__()
        self.t = nn.Embedding(T, c)
        self.a, self.b = nn.Conv2d(1, c, 3, padding=1), nn.Conv2d(c, 1, 3, padding=1)

    def forward(self, x, t):
        return self.b(torch.relu(self.a(x) + self.t(t)[:, :, None, None]))


device = "cuda" if torch.cuda.is_available() else "cpu"
gd = GaussianDiffusion(10)
net = Net(10).to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(3):
    loss = gd.loss(net, torch.rand(4, 1, 8, 8).to(device) * 2 - 1)
    opt.zero_grad()
    loss.backward()
    opt.step()
net.eval()
print(len(gd.sample(net, (2, 1, 8, 8))), loss.item())
