import torch
from torch import nn


class AmpTrainer:
    def __init__(self, model, lr=1e-3, max_norm=1.0):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.enabled = self.device.type == "cuda"
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.enabled)
        self.criterion = nn.CrossEntropyLoss()
        self.max_norm = max_norm

    def step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        self.optimizer.zero_grad(set_to_none=True)
        with torch.autocast(self.device.type, enabled=self.enabled):
            loss = self.criterion(self.model(x), y)
        self.scaler.scale(loss).backward()
        self.scaler.unscale_(self.optimizer)
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()

    def fit(self, loader, epochs):
        self.model.train()
        for epoch in range(epochs):
            losses = [self.step(x, y) for x, y in loader]
            print(epoch, sum(losses) / len(losses))
