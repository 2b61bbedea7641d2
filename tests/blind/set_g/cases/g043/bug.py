import copy

import torch
import torch.nn as nn
import torch.nn.functional as F


class NeuralMemory(nn.Module):
    """Reads and writes a small memory matrix at each step of a sequence."""

    def __init__(self, slots=6, dim=10):
        super().__init__()
        self.start = nn.Parameter(torch.randn(slots, dim) * 0.1)
        self.key = nn.Linear(dim, dim)
        self.erase = nn.Linear(dim, dim)
        self.write = nn.Linear(dim, dim)
        self.trace = []

    def step(self, memory, x):
        w = (memory @ self.key(x).unsqueeze(-1)).softmax(dim=0)
        memory = memory * (1 - w * self.erase(x).sigmoid()) + w * self.write(x).tanh()
        return memory, (w * memory).sum(0)

    def forward(self, xs):
        memory, reads = self.start, []
        self.trace = []
        for x in xs:
            memory, read = self.step(memory, x)
            reads.append(read)
            self.trace.append(copy.deepcopy(memory))
        return torch.stack(reads)


def drift(trace):
    return [(b - a).norm().item() for a, b in zip(trace, trace[1:])]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = NeuralMemory().to(device)
    initial = copy.deepcopy(model.state_dict())
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for it in range(2):
        xs = torch.randn(5, 10, device=device)
        loss = F.mse_loss(model(xs)[1:], xs[:-1])
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(it, loss.item(), drift(model.trace))
    print("changed", (model.start - initial["start"]).norm().item())


if __name__ == "__main__":
    main()
