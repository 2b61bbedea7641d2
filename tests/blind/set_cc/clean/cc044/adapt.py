import math

import torch

from dann import DANN

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = DANN().to(device)
groups = [{"params": [*model.features.parameters(), *model.label_head.parameters()], "lr": 1e-2},
          {"params": model.domain_head.parameters(), "lr": 3e-2}]
optimizer = torch.optim.SGD(groups, momentum=0.9)

total = 6
for step in range(total):
    model.reverse.strength = 2 / (1 + math.exp(-10 * step / total)) - 1
    source, target = torch.randn(16, 10, device=device), torch.randn(16, 10, device=device) + 0.5
    labels = source[:, :3].argmax(dim=1)
    task, domain = model.losses(source, labels, target)
    optimizer.zero_grad()
    (task + domain).backward()
    optimizer.step()
    print(f"{step} task {task.item():.3f} domain {domain.item():.3f}")
