import torch
import torch.nn as nn


class Lookup(nn.Module):
    def __init__(self, rows, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(rows, dim) * 0.02)

    def forward(self, ids):
        if ids.device != self.weight.device:
            ids = ids.to(self.weight.device)
        return nn.functional.embedding(ids, self.weight)


def describe(device):
    if device.type == "cuda":
        index = 0 if device.index is None else device.index
        return f"accelerator {index}"
    if device == torch.device("cpu"):
        return "host"
    return str(device)


def pairwise(a, b):
    chunk = 512 if a.device.type == "cpu" else 4096
    if str(b.device).startswith("cuda") and a.device == b.device:
        chunk *= 2
    return torch.cat([torch.cdist(part, b) for part in a.split(chunk)])


def main():
    name = "cuda" if torch.cuda.is_available() else "cpu"
    device = torch.device(name)
    print(describe(device))
    table = Lookup(30, 8).to(device)
    opt = torch.optim.SGD(table.parameters(), lr=0.1)
    for _ in range(4):
        left, right = torch.randint(30, (2, 16))
        a, b = table(left), table(right)
        loss = (a - b).pow(2).mean() + 0.01 * table.weight.pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        d = pairwise(table.weight, table.weight)
    print(d.mean().item())


if __name__ == "__main__":
    main()
