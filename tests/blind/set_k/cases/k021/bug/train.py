import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

from base import BaseTrainer


class RegressionTrainer(BaseTrainer):
    def __init__(self, *args, valid, **kwargs):
        super().__init__(*args, **kwargs)
        self.valid = valid

    def loss_on(self, batch):
        x, y = (t.to(self.device) for t in batch)
        return F.mse_loss(self.model(x).squeeze(-1), y)

    def validate(self):
        return self.evaluate(self.valid)


x = torch.randn(320, 7)
y = x @ torch.linspace(-1, 1, 7) + 0.1 * torch.randn(320)
train_loader = DataLoader(TensorDataset(x[:256], y[:256]), batch_size=32, shuffle=True)
valid_loader = DataLoader(TensorDataset(x[256:], y[256:]), batch_size=32)

net = nn.Sequential(nn.Linear(7, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 1))
trainer = RegressionTrainer(
    net,
    torch.optim.AdamW(net.parameters(), lr=1e-2),
    torch.device("cuda" if torch.cuda.is_available() else "cpu"),
    valid=valid_loader,
)
trainer.fit(train_loader, 3)
