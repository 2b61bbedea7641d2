import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

DEVICE = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# the data set is made outside of the context and stays on the host
features = torch.from_numpy(np.random.randn(48, 6).astype(np.float32))
labels = torch.from_numpy(np.random.randint(0, 3, 48))
loader = DataLoader(
    TensorDataset(features, labels), batch_size=12, shuffle=True, generator=torch.Generator().manual_seed(0)
)

with torch.device(DEVICE):
    net = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 3))
    class_weights = torch.tensor([1.0, 2.0, 1.5])
    prior = torch.as_tensor([0.2, 0.5, 0.3]).log()

loss_fn = nn.CrossEntropyLoss(weight=class_weights)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def epoch():
    seen, total = 0, 0.0
    for batch in loader:
        x, y = (t.to(DEVICE) for t in batch)
        loss = loss_fn(net(x) + prior, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item() * len(y)
        seen += len(y)
    return total / seen


for e in range(2):
    print(e, epoch())
with torch.no_grad():
    host = net(features[:4].to(DEVICE)).argmax(1).cpu()
print((host == labels[:4]).tolist())
