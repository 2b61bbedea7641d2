import torch
import torch.nn as nn

from maml.evaluate import evaluate
from maml.learner import InnerLoop
from maml.tasks import SineTasks

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1))
learner = InnerLoop(net).to(device)
tasks = SineTasks(device=device)
meta = torch.optim.Adam(learner.parameters(), lr=1e-3)
for it in range(3):
    meta.zero_grad()
    outer = torch.stack([learner(s, q) for s, q in tasks.sample(4)]).mean()
    outer.backward()
    meta.step()
    print(it, outer.item())
print("adapted", evaluate(learner, tasks))
