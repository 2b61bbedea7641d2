# %% imports
import numpy as np
import torch
import torch.nn as nn

# %% setup
device = "cuda" if torch.cuda.is_available() else "cpu"
rng = np.random.default_rng(3)
X = torch.from_numpy(rng.normal(size=(96, 10)).astype(np.float32))
Y = (X[:, :1] * X[:, 1:2]).tanh()


# %% model
class Regressor(nn.Module):
    def __init__(self, n_in, width=24):
        super().__init__()
        self.layers = nn.ModuleList([nn.Linear(n_in, width), nn.Linear(width, width)])
        self.out = nn.Linear(width, 1)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.out(x)


def epoch(model, optimizer, batch_size=32):
    order = torch.randperm(len(X))
    losses = []
    for idx in order.split(batch_size):
        xb, yb = X[idx].to(device), Y[idx].to(device)
        loss = nn.functional.mse_loss(model(xb), yb)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses


# %% train
model = Regressor(10).to(device)
optimizer = torch.optim.RMSprop(model.parameters(), lr=1e-3)
curve = []
for e in range(3):
    losses = epoch(model, optimizer)
    curve.append(np.array(losses).mean())
    print(f"epoch {e}: {curve[-1]:.4f}")

# %% summary
best = int(np.argmin(curve))
print("best epoch", best, "at", curve[best])
