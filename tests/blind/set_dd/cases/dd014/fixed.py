# # Tabular regression baseline
# %%
import numpy as np
import torch
import torch.nn as nn

device = "cuda" if torch.cuda.is_available() else "cpu"
torch.set_default_device(device)
print("running on", device)

# %% [data]
rs = np.random.RandomState(0)
X = rs.randn(256, 6).astype(np.float32)
w_true = rs.randn(6, 1).astype(np.float32)
y = X @ w_true + 0.05 * rs.randn(256, 1).astype(np.float32)
mu, sd = X.mean(0), X.std(0)
X = (X - mu) / sd

# %% [tensors]
X_all = torch.from_numpy(X).to(device)
y_all = torch.from_numpy(y).to(device)
n_train = 192
X_tr, y_tr = X_all[:n_train], y_all[:n_train]
X_va, y_va = X_all[n_train:], y_all[n_train:]


# %% [model]
class TabNet(nn.Module):
    def __init__(self, n_in, hidden=(32, 16), p=0.1):
        super().__init__()
        sizes = [n_in, *hidden]
        layers = []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Linear(a, b), nn.BatchNorm1d(b), nn.SiLU(), nn.Dropout(p)]
        self.trunk = nn.Sequential(*layers)
        self.out = nn.Linear(sizes[-1], 1)

    def forward(self, x):
        return self.out(self.trunk(x))


net = TabNet(X.shape[1])
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
mse = nn.MSELoss()

# %% [train]
for epoch in range(5):
    net.train()
    for i in range(0, n_train, 64):
        opt.zero_grad()
        loss = mse(net(X_tr[i:i + 64]), y_tr[i:i + 64])
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        val = mse(net(X_va), y_va).item()
    print(f"{epoch} {val:.4f}")
