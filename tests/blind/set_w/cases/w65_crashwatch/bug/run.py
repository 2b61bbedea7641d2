import torch
from torch import nn
from data import loader, windows
from engine import Engine

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(
    nn.Conv1d(4, 12, 3), nn.BatchNorm1d(12), nn.ReLU(), nn.Dropout(0.3),
    nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(12, 1), nn.Flatten(0),
).to(device)
engine = Engine(net)
train, held = windows(48), windows(16)
net.train()
for epoch in range(3):
    loss = engine.fit_epoch(loader(*train, 16))
    acc = engine.validate(loader(*held, 8))
    print(f"{epoch} {loss:.3f} {acc:.2f}")
