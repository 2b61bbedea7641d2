import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def collect(n):
    x = torch.rand(n, 4)
    return x, (x.sum(1) > 2).float()


model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
model = model.to(device)
loss_fn = nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters())
for step in range(3):
    x, y = collect(32)
    y = y.to(device)
    loss = loss_fn(model(x).squeeze(1), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
