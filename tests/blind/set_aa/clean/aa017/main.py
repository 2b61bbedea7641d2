import torch

from balance import LossScaleNormalizer, UncertaintyWeights
from multitask import MultiTask, task_losses


def fake_batch(n=16):
    x = torch.randn(n, 10)
    return x, {"depth": x.sum(1), "sem": torch.randint(0, 4, (n,)), "edge": (x[:, 0] > 0).float()}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = MultiTask().to(device)
weigh = UncertaintyWeights(["depth", "sem", "edge"]).to(device)
normalize = LossScaleNormalizer()
opt = torch.optim.Adam([*model.parameters(), *weigh.parameters()], lr=1e-3)
best = torch.tensor(float("inf"))
for step in range(5):
    x, target = fake_batch()
    target = {k: v.to(device) for k, v in target.items()}
    total = weigh(normalize(task_losses(model(x.to(device)), target)))
    opt.zero_grad()
    total.backward()
    opt.step()
    if step % 2 == 0:
        best = torch.minimum(best, total.detach().cpu())
print("best", best.item())
