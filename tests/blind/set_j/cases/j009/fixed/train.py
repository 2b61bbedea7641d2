import torch
import torch.nn.functional as F

from model import MultiTask

TASKS = {"color": 5, "shape": 3}
torch.manual_seed(1)


def batches(n):
    for _ in range(n):
        x = torch.randn(32, 12)
        yield x, {"color": torch.randint(0, 5, (32,)), "shape": torch.randint(0, 3, (32,))}


model = MultiTask(12, 32, TASKS)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for x, targets in batches(5):
    out = model(x)
    loss = sum(F.cross_entropy(out[k], targets[k]) for k in TASKS)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

torch.save(model.state_dict(), "multitask.pt")
print("parameters", sum(p.numel() for p in model.parameters()))
