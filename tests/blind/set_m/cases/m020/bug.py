import numpy as np
import torch
from torch import nn

torch.set_default_device("cuda" if torch.cuda.is_available() else "cpu")

rng = np.random.default_rng(0)
features = rng.normal(size=(120, 6)).astype(np.float32)
labels = (features[:, 0] + features[:, 1] > 0).astype(np.int64)


class MLP(nn.Module):
    def __init__(self, sizes=(6, 32, 2)):
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(a, b) for a, b in zip(sizes, sizes[1:]))

    def forward(self, x):
        for layer in self.layers[:-1]:
            x = torch.relu(layer(x))
        return self.layers[-1](x)


model = MLP()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss()

inputs = torch.from_numpy(features)
targets = torch.from_numpy(labels)

for epoch in range(3):
    for i in range(0, len(inputs), 40):
        out = model(inputs[i:i + 40])
        loss = criterion(out, targets[i:i + 40])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(epoch, loss.item())

with torch.no_grad():
    acc = (model(inputs).argmax(1) == targets).float().mean()
print("train accuracy", acc.item())
