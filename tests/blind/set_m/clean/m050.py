import torch
from torch import nn


class MaxNormLinear(nn.Module):
    def __init__(self, i, o, max_norm=1.0):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(o, i))
        self.bias = nn.Parameter(torch.zeros(o))
        self.max_norm = max_norm
        self.reset()

    @torch.no_grad()
    def reset(self):
        self.weight.normal_(0, 0.02)
        self.weight[0].zero_()

    @torch.no_grad()
    def project(self):
        norms = self.weight.norm(dim=1, keepdim=True).clamp(min=1e-8)
        self.weight *= norms.clamp(max=self.max_norm) / norms

    def forward(self, x):
        return nn.functional.linear(x, self.weight, self.bias)


def train(steps=5):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(MaxNormLinear(6, 16), nn.ReLU(), MaxNormLinear(16, 2)).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.5)
    for step in range(steps):
        x = torch.randn(32, 6, device=device)
        y = (x[:, 0] > 0).long()
        loss = nn.functional.cross_entropy(net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for m in net.modules():
            if isinstance(m, MaxNormLinear):
                m.project()
        print(step, loss.item())


train()
