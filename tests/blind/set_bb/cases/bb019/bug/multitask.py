import torch
import torch.nn as nn
from tasks import TASKS, all_losses, combine, fake_batch

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class MultiHead(nn.Module):
    def __init__(self, dim, hid=32):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, hid), nn.ReLU(), nn.Dropout(0.1))
        self.heads = nn.ModuleDict({k: nn.Linear(hid, v["out"]) for k, v in TASKS.items()})

    def forward(self, x):
        h = self.body(x)
        return {k: head(h) for k, head in self.heads.items()}


model = MultiHead(10).to(device)
start = {k: v.detach().clone() for k, v in model.state_dict().items()}
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
weights = {"age": 1.0, "sex": 0.5, "smile": 0.5}
ema = {}

for step in range(10):
    batch = fake_batch(16, 10, device)
    losses = all_losses(model(batch["x"]), batch)
    for k, v in losses.items():
        ema[k] = 0.9 * ema.get(k, v.item()) + 0.1 * v.item()
    opt.zero_grad()
    total = combine(losses, weights)
    total.backward()
    opt.step()

changed = any(not torch.equal(start[k], v) for k, v in model.state_dict().items())
print({k: round(v, 3) for k, v in ema.items()})
