import torch
from torch import nn


class Trainer:
    def __init__(self, model, lr=1e-3, clip=1.0):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.amp = self.device.type == "cuda"
        self.model = model.to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=lr)
        self.scaler = torch.amp.GradScaler(self.device.type, enabled=self.amp)
        self.clip = clip

    def run(self, batches):
        self.model.train()
        for x, y in batches:
            x, y = x.to(self.device), y.to(self.device)
            self.optimizer.zero_grad(set_to_none=True)
            with torch.autocast(self.device.type, enabled=self.amp):
                loss = nn.functional.cross_entropy(self.model(x), y)
            self.scaler.scale(loss).backward()
            nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
            self.scaler.step(self.optimizer)
            self.scaler.update()
        return loss.item()
