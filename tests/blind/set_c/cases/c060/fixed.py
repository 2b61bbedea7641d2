import copy

import torch
from torch import nn


class NeuralMemory(nn.Module):
    """Slot memory written and read with attention."""

    def __init__(self, slots=4, dim=8):
        super().__init__()
        self.init = nn.Parameter(torch.randn(slots, dim) * 0.1)
        self.write = nn.Linear(dim, dim)
        self.read = nn.Linear(dim, dim)

    def start(self, batch):
        return self.init.unsqueeze(0).expand(batch, -1, -1)

    def forward(self, x, memory):
        gate = torch.softmax(memory @ self.write(x).unsqueeze(-1), dim=1)
        memory = memory * (1 - gate) + gate * x.unsqueeze(1)
        out = (torch.softmax(memory @ self.read(x).unsqueeze(-1), 1) * memory).sum(1)
        return out, memory


def run_sequence(cell, xs, snapshots=None):
    memory = cell.start(xs.size(1))
    outs = []
    for x in xs:
        out, memory = cell(x, memory)
        outs.append(out)
        if snapshots is not None:
            snapshots.append(copy.deepcopy(memory.detach()))
    return torch.stack(outs)


def main(steps=2):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    cell = NeuralMemory().to(device)
    optimizer = torch.optim.Adam(cell.parameters(), lr=1e-2)
    for _ in range(steps):
        xs = torch.randn(5, 3, 8, device=device)
        trace = []
        loss = nn.functional.mse_loss(run_sequence(cell, xs, trace), xs.roll(1, 0))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(len(trace), loss.item())


if __name__ == "__main__":
    main()
