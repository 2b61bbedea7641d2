import torch
import torch.nn as nn

from engine import accuracy, train_epoch

EPOCHS, STEPS = 3, 4


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1, self.bn, self.fc2 = nn.Linear(8, 32), nn.BatchNorm1d(32), nn.Linear(32, 3)
        self.drop = nn.Dropout(0.3)

    def forward(self, x):
        return self.fc2(self.drop(torch.relu(self.bn(self.fc1(x)))))


def batches(n, device):
    return [(torch.randn(16, 8, device=device), torch.randint(0, 3, (16,), device=device)) for _ in range(n)]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Net().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, EPOCHS)
train_data, val_data = batches(STEPS, device), batches(2, device)
model.train()
best = 0.0
for epoch in range(EPOCHS):
    loss = train_epoch(model, optimizer, train_data)
    scheduler.step()
    acc = accuracy(model, val_data)
    best = max(best, acc)
    print(f"epoch {epoch} loss {loss:.3f} acc {acc:.3f} best {best:.3f}")
