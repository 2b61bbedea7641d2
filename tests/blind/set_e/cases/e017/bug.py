import torch
from torch import nn


def polyak(source, target, tau=0.005):
    for p, t in zip(source.parameters(), target.parameters()):
        t.mul_(1 - tau).add_(tau * p)


class Momentum:
    def __init__(self, dim=5):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        make = lambda: nn.Sequential(nn.Linear(dim, 8), nn.ReLU(), nn.Linear(8, 4)).to(self.device)
        self.online, self.target = make(), make()
        self.target.load_state_dict(self.online.state_dict())
        self.predictor = nn.Linear(4, 4).to(self.device)
        self.opt = torch.optim.Adam([*self.online.parameters(), *self.predictor.parameters()], lr=1e-3)

    def step(self, x):
        x = x.to(self.device)
        a, b = x + 0.1 * torch.randn_like(x), x + 0.1 * torch.randn_like(x)
        p = nn.functional.normalize(self.predictor(self.online(a)), dim=-1)
        with torch.no_grad():
            z = nn.functional.normalize(self.target(b), dim=-1)
        loss = 2 - 2 * (p * z).sum(-1).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        polyak(self.online, self.target)
        return loss.item()


if __name__ == "__main__":
    learner = Momentum()
    for _ in range(3):
        print(learner.step(torch.randn(8, 5)))
