from dataclasses import dataclass, fields

import torch
import torch.nn as nn


def best_device(index=0):
    if torch.cuda.is_available():
        return torch.device("cuda", index)
    return torch.device("cpu")


@dataclass
class Batch:
    nodes: torch.Tensor
    edges: torch.Tensor
    label: torch.Tensor

    def to(self, device):
        return Batch(**{f.name: getattr(self, f.name).to(device) for f in fields(self)})

    @property
    def device(self):
        return self.nodes.device


class GraphNet(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.message = nn.Linear(dim, dim)
        self.read = nn.Linear(dim, 2)

    @property
    def device(self):
        return self.read.weight.device

    def forward(self, batch):
        src, dst = batch.edges
        sent = torch.zeros_like(batch.nodes).index_add(0, dst, self.message(batch.nodes)[src])
        return self.read((batch.nodes + sent).mean(0, keepdim=True))


def sample(n=6, dim=5):
    return Batch(torch.randn(n, dim), torch.randint(0, n, (2, 12)), torch.randint(0, 2, (1,)))


model = GraphNet(5).to(best_device())
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
for step in range(4):
    batch = sample().to(model.device)
    loss = nn.functional.cross_entropy(model(batch), batch.label)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, str(batch.device), loss.item())
summary = {"loss": loss.item(), "device": f"{model.device.type}:{model.device.index or 0}"}
print(torch.zeros(1).to(summary["device"] if model.device.type == "cuda" else "cpu").device)
