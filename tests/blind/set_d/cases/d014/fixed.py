import copy

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

actor = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
learner = copy.deepcopy(actor).to(device)
optimizer = torch.optim.Adam(learner.parameters())


def explore(steps):
    states = []
    state = torch.zeros(4)
    with torch.no_grad():
        for _ in range(steps):
            states.append(state)
            move = actor(state)
            state = state + 0.1 * torch.cat([move, -move])
    return torch.stack(states)


for _ in range(2):
    batch = explore(8).to(device)
    loss = learner(batch).pow(2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(loss.item())
