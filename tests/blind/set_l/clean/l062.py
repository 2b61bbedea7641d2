import torch
import torch.nn as nn
import torch.nn.functional as F


class GumbelSelector(nn.Module):
    """Hard choice forward, soft gradient backward."""

    def __init__(self, n, k, tau=1.0):
        super().__init__()
        self.logits = nn.Parameter(torch.zeros(k, n))
        self.tau = tau

    def forward(self, x):
        if self.training:
            u = torch.rand_like(self.logits).clamp(1e-6, 1 - 1e-6)
            noise = -torch.log(-torch.log(u))
            soft = ((self.logits + noise) / self.tau).softmax(-1)
        else:
            soft = self.logits.softmax(-1)
        index = soft.argmax(-1, keepdim=True)
        hard = torch.zeros_like(soft).scatter_(-1, index, 1.0)
        pick = hard + soft - soft.detach()
        return x @ pick.t()

    def chosen(self):
        return self.logits.argmax(1).tolist()


class SelectNet(nn.Module):
    def __init__(self, n=12, k=3):
        super().__init__()
        self.select = GumbelSelector(n, k)
        self.net = nn.Sequential(nn.Linear(k, 16), nn.ReLU(), nn.Linear(16, 2))

    def forward(self, x):
        return self.net(self.select(x))


def anneal(step, start=2.0, end=0.5, steps=20):
    return start + (end - start) * min(step / steps, 1.0)


device = "cuda" if torch.cuda.is_available() else "cpu"
model = SelectNet().to(device)
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(20):
    model.select.tau = anneal(step)
    x = torch.randn(64, 12, device=device)
    y = (x[:, 3] > 0).long()
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
model.eval()
with torch.no_grad():
    acc = (model(x).argmax(1) == y).float().mean().item()
print(model.select.chosen(), acc)
