import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.set_default_device(device)


def load_arrays(n=160):
    rng = np.random.default_rng(4)
    x = rng.normal(size=(n, 6)).astype("float32")
    y = (x[:, :2].sum(axis=1) > 0).astype("int64")
    return x, y


x, y = load_arrays()
features = torch.from_numpy(x).to(device)
labels = torch.from_numpy(y).to(device)

shuffler = torch.Generator(device=device)
shuffler.manual_seed(11)
loader = DataLoader(TensorDataset(features, labels), batch_size=32, shuffle=True, generator=shuffler)

net = nn.Sequential(nn.Linear(6, 32), nn.ReLU(), nn.Linear(32, 2))
opt = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
weights = torch.tensor([1.0, 1.2])

for epoch in range(3):
    running = torch.zeros(())
    for xb, yb in loader:
        opt.zero_grad()
        loss = nn.functional.cross_entropy(net(xb), yb, weight=weights)
        loss.backward()
        opt.step()
        running += loss.detach()
    print(epoch, (running / len(loader)).item())

torch.set_default_device("cpu")
