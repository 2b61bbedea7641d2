import torch
import torch.nn.functional as F
from torch import nn


class PrioritizedSampler:
    def __init__(self, n, alpha=0.6):
        self.priority, self.alpha = torch.ones(n), alpha

    def draw(self, k):
        p = self.priority ** self.alpha
        p = p / p.sum()
        idx = torch.multinomial(p, k)
        w = (len(p) * p[idx]) ** -0.5
        return idx, w / w.max()

    def update(self, idx, error):
        self.priority[idx] = error.detach().cpu() + 1e-3


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
x, y = torch.randn(50, 4), torch.randint(0, 3, (50,))
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)).to(device)
opt = torch.optim.RMSprop(net.parameters(), lr=1e-3)
sampler = PrioritizedSampler(len(x))
for _ in range(5):
    idx, weight = sampler.draw(10)
    loss = F.cross_entropy(net(x[idx].to(device)), y[idx].to(device), reduction="none")
    opt.zero_grad()
    loss.backward(gradient=weight.to(device) / len(idx))
    opt.step()
    sampler.update(idx, loss)
print(sampler.priority.topk(3).indices.tolist())
