import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


def to_host(t):
    """An ndarray, wherever the tensor is."""
    if t.device.type == "cuda":
        t = t.cpu()
    return t.detach().numpy()


class ConfusionMatrix:
    def __init__(self, classes):
        self.matrix = np.zeros((classes, classes), dtype=np.int64)

    def update(self, logits, target):
        guess = to_host(logits).argmax(1)
        np.add.at(self.matrix, (to_host(target), guess), 1)

    @property
    def accuracy(self):
        return self.matrix.trace() / max(self.matrix.sum(), 1)

    def per_class(self):
        return np.diag(self.matrix) / np.maximum(self.matrix.sum(1), 1)


class AudioNet(nn.Module):
    def __init__(self, classes=3):
        super().__init__()
        self.conv = nn.Conv1d(1, 8, 9, stride=4)
        self.out = nn.Linear(8, classes)

    def forward(self, wave):
        return self.out(self.conv(wave.unsqueeze(1)).relu().amax(-1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = AudioNet().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
wave, label = torch.randn(48, 64), torch.randint(0, 3, (48,))
for epoch in range(3):
    model.train()
    for x, y in zip(wave.split(16), label.split(16)):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x.to(device)), y.to(device))
        loss.backward()
        optimizer.step()

model.eval()
confusion = ConfusionMatrix(3)
with torch.no_grad():
    for x, y in zip(wave.split(16), label.split(16)):
        confusion.update(model(x.to(device)), y)
print(confusion.accuracy, confusion.per_class().round(3))
