import torch
import torch.nn.functional as F
from torch import nn


class Attack:
    def __init__(self, model, device, eps=0.1, lr=0.05, steps=4):
        self.model = model.eval().requires_grad_(False)
        self.device, self.eps, self.lr, self.steps = device, eps, lr, steps

    def start(self, x):
        return torch.zeros(x.shape, device=self.device, requires_grad=True)

    def run(self, x, target):
        delta = self.start(x)
        opt = torch.optim.Adam([delta], lr=self.lr)
        for _ in range(self.steps):
            loss = F.cross_entropy(self.model(x + delta), target)
            opt.zero_grad()
            loss.backward()
            opt.step()
            with torch.no_grad():
                delta.clamp_(-self.eps, self.eps)
        return (x + delta).detach()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Flatten(), nn.Linear(48, 20), nn.ReLU(), nn.Linear(20, 4)).to(device)
    x = torch.rand(5, 3, 4, 4, device=device)
    adv = Attack(net, device).run(x, torch.zeros(5, dtype=torch.long, device=device))
    print((adv - x).abs().max().item())


main()
