import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
pin = device.type == "cuda"

# %% data
x = torch.randn(64, 16)
w = torch.randn(16)
train = DataLoader(TensorDataset(x, x @ w), batch_size=16, shuffle=True, pin_memory=pin)

# %% model
model = nn.Sequential(nn.LazyLinear(32), nn.ReLU(), nn.LazyLinear(1)).to(device)
with torch.no_grad():
    model(torch.zeros(1, 16, device=device))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)

# %% loop
curve = []
for epoch in range(3):
    running = torch.zeros((), device=device)
    for xb, yb in train:
        xb = xb.to(device, non_blocking=True)
        yb = yb.to(device, non_blocking=True)
        loss = nn.functional.mse_loss(model(xb)[:, 0], yb)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
        running += loss.detach() * len(xb)
    curve.append((running / len(train.dataset)).item())
print([round(c, 3) for c in curve])
