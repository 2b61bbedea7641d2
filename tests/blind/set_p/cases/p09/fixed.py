import os
import tempfile

import torch
from torch import nn, optim


class Trainer:
    def __init__(self, model, device, out_dir, save_every=2):
        self.device = device
        self.model = model.to(device)
        self.optimizer = optim.SGD(self.model.parameters(), lr=0.05)
        self.loss_fn = nn.MSELoss()
        self.out_dir = out_dir
        self.save_every = save_every

    def batch(self):
        x = torch.randn(10, 4)
        return x.to(self.device), x.sum(1, keepdim=True).to(self.device)

    def train_epoch(self):
        self.model.train()
        for _ in range(5):
            x, y = self.batch()
            self.optimizer.zero_grad()
            loss = self.loss_fn(self.model(x), y)
            loss.backward()
            self.optimizer.step()
        return loss.item()

    def save(self, epoch):
        state = {k: v.cpu() for k, v in self.model.state_dict().items()}
        torch.save(state, os.path.join(self.out_dir, f"epoch{epoch}.pt"))

    def fit(self, epochs):
        for epoch in range(1, epochs + 1):
            value = self.train_epoch()
            print(f"[{epoch}/{epochs}] loss={value:.4f}")
            if epoch % self.save_every == 0:
                self.save(epoch)


if __name__ == "__main__":
    device = "cuda" if torch.cuda.is_available() else "cpu"
    net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1))
    Trainer(net, device, tempfile.mkdtemp()).fit(5)
