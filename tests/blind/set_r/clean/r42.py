import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Lookup(nn.Module):
    """A table that is read between its entries."""

    def __init__(self, entries):
        super().__init__()
        self.table = nn.Parameter(torch.linspace(-1, 1, entries))
        self.place = nn.Linear(3, 1)

    def forward(self, x):
        top = self.table.numel() - 1
        at = self.place(x).squeeze(1).sigmoid() * top
        low = at.floor().clamp(max=top - 1)
        part = at - low
        i = low.long()
        return (1 - part) * self.table[i] + part * self.table[i + 1]


class Binary(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.score = nn.Linear(n, n)

    def forward(self, x):
        soft = self.score(x).tanh()
        hard = soft.detach().sign()
        return hard + soft - soft.detach()


lookup, code, decode = Lookup(9).to(device), Binary(3).to(device), nn.Linear(3, 3).to(device)
params = [p for m in (lookup, code, decode) for p in m.parameters()]
optimizer = torch.optim.Adam(params, lr=1e-2)

for step in range(5):
    x = torch.randn(40, 3, device=device)
    value = lookup(x)
    rebuilt = decode(code(x))
    loss = F.mse_loss(value, torch.sin(x[:, 0])) + F.mse_loss(rebuilt, x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        exact = (rebuilt.round() == x.round()).float().mean().item()
        up = (value.sign() == x[:, 0].sign()).float().mean().item()
    print(step, round(loss.item(), 4), exact, up)
assert all(p.grad is not None and p.grad.abs().sum() > 0 for p in params)
