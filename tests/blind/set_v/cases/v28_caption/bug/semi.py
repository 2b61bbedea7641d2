import torch
from torch import nn

from objective import Objective


class AutoClassifier(nn.Module):
    def __init__(self, d=14, z=5, classes=3):
        super().__init__()
        self.enc = nn.Sequential(nn.Linear(d, 20), nn.ReLU(), nn.Linear(20, z))
        self.dec = nn.Linear(z, d)
        self.cls = nn.Linear(z, classes)

    def forward(self, batch):
        z = self.enc(batch["x"])
        return {"x": self.dec(z), "logits": self.cls(z)}


def stream(n, every=2):
    for i in range(n):
        batch = {"x": torch.randn(8, 14)}
        if i % every == 1:
            batch["label"] = torch.randint(0, 3, (8,))
        yield batch


model, objective = AutoClassifier(), Objective()
opt = torch.optim.NAdam(model.parameters(), lr=1e-3)
for i, batch in enumerate(stream(6)):
    loss, parts = objective(model(batch), batch)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(i, {k: round(v.item(), 3) for k, v in parts.items()})
