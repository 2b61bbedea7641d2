import torch
from torch import nn
from dual import Multiplier


class Sac:
    """Entropy-regularised bandit: the temperature is tuned by gradient, the cost by dual ascent."""

    def __init__(self, arms, device):
        self.logits = nn.Parameter(torch.zeros(arms, device=device))
        self.log_alpha = torch.zeros((), device=device, requires_grad=True)
        self.cost = Multiplier(0.4).to(device)
        self.opt = torch.optim.Adam([self.logits], lr=0.05)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], lr=0.05)
        self.goal = 0.5

    def step(self, reward, cost):
        dist = torch.distributions.Categorical(logits=self.logits)
        value, risk, ent = dist.probs @ reward, dist.probs @ cost, dist.entropy()
        loss = -value - self.log_alpha.exp().detach() * ent + self.cost.penalty(risk)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        alpha_loss = self.log_alpha.exp() * (ent.detach() - self.goal)
        self.alpha_opt.zero_grad()
        alpha_loss.backward()
        self.alpha_opt.step()
        self.cost.ascend(risk.detach())
        return value.item(), risk.item(), self.cost.lam.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
agent = Sac(4, device)
reward, cost = torch.rand(4, device=device), torch.rand(4, device=device)
for _ in range(5):
    print(agent.step(reward, cost))
