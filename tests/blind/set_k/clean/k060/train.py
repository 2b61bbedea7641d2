import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

from memory import Queue, update_average

TEMPERATURE = torch.tensor(0.2)


class Encoder(nn.Module):
    def __init__(self, inp=12, dim=8):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(inp, 32), nn.ReLU(), nn.Linear(32, dim))

    def forward(self, x):
        return F.normalize(self.net(x), dim=1)


def info_nce(q, k, negatives):
    positive = (q * k).sum(1, keepdim=True)
    logits = torch.cat([positive, q @ negatives.t()], dim=1) / TEMPERATURE
    return F.cross_entropy(logits, logits.new_zeros(len(q), dtype=torch.long))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    query = Encoder().to(device)
    key = copy.deepcopy(query).requires_grad_(False)
    queue = Queue(64, 8, device)
    optimizer = torch.optim.SGD(query.parameters(), lr=0.1, momentum=0.9)
    for step in range(8):
        x = torch.randn(16, 12, device=device)
        views = [x + 0.1 * torch.randn_like(x) for _ in range(2)]
        with torch.no_grad():
            k = key(views[1])
        loss = info_nce(query(views[0]), k, queue.pick(32))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        update_average(key, query, decay=0.99)
        queue.push(k)
    order = torch.argsort(torch.rand(16))
    print(f"{loss.item():.4f}", k[order][0].sum().item(), queue.at)


if __name__ == "__main__":
    main()
