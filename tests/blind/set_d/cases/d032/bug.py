import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
policy = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 2)).to(device)
value = nn.Linear(3, 1).to(device)
optimizer = torch.optim.Adam(list(policy.parameters()) + list(value.parameters()))


def log_prob(obs, act):
    return torch.log_softmax(policy(obs), -1).gather(1, act.unsqueeze(1)).squeeze(1)


for _ in range(2):
    obs = torch.randn(16, 3, device=device)
    with torch.no_grad():
        act = policy(obs).argmax(-1)
        adv = torch.randn(16, device=device) - value(obs).squeeze(1)
        logp = log_prob(obs, act)
    loss = -(logp * adv).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
