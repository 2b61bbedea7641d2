import torch
import torch.nn as nn
import torch.nn.functional as F


def HuberLoss(out, y, delta=1.0):
    return F.huber_loss(out, y, delta=delta)


class ContrastLoss:
    """Value of one batch together with what is logged of it."""

    def __init__(self, a, b, temperature=0.2):
        scores = F.normalize(a, dim=1) @ F.normalize(b, dim=1).t() / temperature
        target = torch.arange(len(a), device=a.device)
        self.value = F.cross_entropy(scores, target)
        self.hits = (scores.argmax(1) == target).float().mean().item()

    def backward(self):
        self.value.backward()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
counts = torch.tensor([30.0, 5.0, 15.0], device=device)
class_weights = counts.sum() / (len(counts) * counts)
criterion = nn.CrossEntropyLoss(class_weights, label_smoothing=0.1)
positive = nn.BCEWithLogitsLoss(pos_weight=class_weights)

net = nn.ModuleDict({
    "body": nn.Sequential(nn.Linear(6, 24), nn.ReLU()),
    "classes": nn.Linear(24, 3),
    "size": nn.Linear(24, 1),
}).to(device)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)

for step in range(4):
    x = torch.randn(20, 6, device=device)
    y = torch.randint(0, 3, (20,), device=device)
    h = net["body"](x)
    scores = net["classes"](h)
    loss = criterion(scores, y) + HuberLoss(net["size"](h), x.sum(1, keepdim=True))
    loss = loss + positive(scores, F.one_hot(y, 3).float()) + nn.L1Loss()(h.mean(), x.mean())
    optimizer.zero_grad()
    loss.backward()
    contrast = ContrastLoss(net["body"](x), net["body"](x + 0.1 * torch.randn_like(x)))
    contrast.backward()
    optimizer.step()
    print(step, loss.item(), contrast.hits)
