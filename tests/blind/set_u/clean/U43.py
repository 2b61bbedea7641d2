import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class HardRouter(nn.Module):
    """Top-1 mixture of experts: hard choice forward, soft gradient backward."""

    def __init__(self, dim, experts):
        super().__init__()
        self.gate = nn.Linear(dim, experts)
        self.experts = nn.ModuleList(nn.Linear(dim, dim) for _ in range(experts))

    def forward(self, x):
        soft = self.gate(x).softmax(dim=-1)
        choice = soft.argmax(dim=-1)
        hard = F.one_hot(choice, soft.size(-1)).to(soft.dtype)
        route = hard + soft - soft.detach()
        out = torch.stack([e(x) for e in self.experts], dim=1)
        load = hard.mean(dim=0)
        balance = (load * soft.mean(dim=0)).sum() * soft.size(-1)
        return (route.unsqueeze(-1) * out).sum(dim=1), balance


class Policy(nn.Module):
    def __init__(self, obs, actions):
        super().__init__()
        self.body = HardRouter(obs, 3)
        self.pi, self.v = nn.Linear(obs, actions), nn.Linear(obs, 1)

    def forward(self, x):
        h, balance = self.body(x)
        return torch.distributions.Categorical(logits=self.pi(h)), self.v(h).squeeze(-1), balance


policy = Policy(6, 4).to(device)
opt = torch.optim.Adam(policy.parameters(), lr=1e-3)
for it in range(3):
    obs = torch.randn(10, 6, device=device)
    dist, value, balance = policy(obs)
    action = dist.sample()
    with torch.no_grad():
        ret = (action == obs.argmax(dim=-1) % 4).float()
        adv = ret - value
    loss = -(dist.log_prob(action) * adv).mean() + F.mse_loss(value, ret) + 0.01 * balance
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item(), (dist.probs.argmax(-1) == action).float().mean().item())
