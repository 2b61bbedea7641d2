import functools

import torch
import torch.nn as nn
import torch.nn.functional as F


class FocalLoss(nn.Module):
    def __init__(self, alpha, gamma=2.0):
        super().__init__()
        self.register_buffer("alpha", alpha)
        self.gamma = gamma

    def forward(self, logits, target):
        logp = F.log_softmax(logits, dim=1)
        logpt = logp.gather(1, target[:, None]).squeeze(1)
        return (-self.alpha[target] * (1 - logpt.exp()) ** self.gamma * logpt).mean()


REGISTRY = {
    "ce": functools.partial(nn.CrossEntropyLoss, label_smoothing=0.1),
    "nll": nn.CrossEntropyLoss,
    "focal": FocalLoss,
}


def class_weights(labels, n):
    counts = torch.bincount(labels, minlength=n).float()
    return counts.sum() / (n * counts.clamp(min=1))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
X, y = torch.randn(128, 10, device=device), torch.randint(0, 3, (128,), device=device)
w = class_weights(y, 3)

for name, make in REGISTRY.items():
    criterion = make(w)
    model = nn.Sequential(nn.Linear(10, 32), nn.ReLU(), nn.Linear(32, 3)).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for xb, yb in zip(X.split(32), y.split(32)):
        loss = criterion(model(xb), yb)
        opt.zero_grad()
        loss.backward()
        opt.step()
    with torch.no_grad():
        print(name, loss.item(), nn.CrossEntropyLoss(w)(model(X), y).item())
