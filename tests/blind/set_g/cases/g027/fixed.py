from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class LeNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3, padding=1)
        self.fc = nn.Linear(4 * 16, 5)

    def forward(self, x):
        return self.fc(F.max_pool2d(F.relu(self.conv(x)), 2).flatten(1))


class Trainer:
    def __init__(self, model, loader, lr=1e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.loader = loader
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.history = defaultdict(list)

    def training_step(self, batch):
        x, y = (t.to(self.device) for t in batch)
        logits = self.model(x)
        loss = F.cross_entropy(logits, y)
        accuracy = (logits.argmax(1) == y).float().mean()
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return {"loss": loss, "accuracy": accuracy}

    def log(self, metrics):
        for name, value in metrics.items():
            self.history[name].append(value.item())

    def fit(self, epochs):
        for epoch in range(epochs):
            for batch in self.loader:
                self.log(self.training_step(batch))
            recent = self.history["loss"][-len(self.loader):]
            print(f"epoch {epoch}: {sum(recent) / len(recent):.4f}")


data = TensorDataset(torch.randn(32, 1, 8, 8), torch.randint(0, 5, (32,)))
trainer = Trainer(LeNet(), DataLoader(data, batch_size=8, shuffle=True))
trainer.fit(2)
