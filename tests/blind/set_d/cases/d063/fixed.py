import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
cell, out = nn.LSTMCell(3, 8).to(device), nn.Linear(8, 3).to(device)
optimizer = torch.optim.Adam([*cell.parameters(), *out.parameters()])
h, c = torch.zeros(1, 8, device=device), torch.zeros(1, 8, device=device)
stream = torch.randn(10, 1, 3, device=device)
for x, nxt in zip(stream[:-1], stream[1:]):
    h, c = cell(x, (h.detach(), c.detach()))
    loss = nn.functional.mse_loss(out(h), nxt)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
