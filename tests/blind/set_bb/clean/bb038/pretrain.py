import torch
import torch.nn as nn
from moco import MoCo


def views(x):
    jitter = lambda: x + 0.1 * torch.randn_like(x)
    return jitter(), jitter()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
encoder = nn.Sequential(nn.Linear(12, 32), nn.ReLU(inplace=True), nn.Linear(32, 8))
model = MoCo(encoder).to(device)
criterion = nn.CrossEntropyLoss().to(device)
optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.03, momentum=0.9)

for step in range(6):
    a, b = (v.to(device) for v in views(torch.randn(16, 12)))
    logits, labels = model(a, b)
    loss = criterion(logits, labels)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 2 == 1:
        acc = (logits.argmax(1) == labels).float().mean()
        print(f"{step} loss {loss.item():.3f} acc {acc.item():.2f} ptr {model.ptr.item()}")
