import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


class Trainer:
    def __init__(self, model, lr=1e-3):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        self.loss_fn = nn.MSELoss()

    def train_step(self, x, y):
        x, y = x.to(self.device), y.to(self.device)
        pred = self.model(x)
        loss = self.loss_fn(pred, y)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), 1e9)
        self.optimizer.step()
        return loss.item()

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            self.model.train()
            losses = [self.train_step(x, y) for x, y in loader]
            print(f"epoch {epoch}: {sum(losses) / len(losses):.4f}")


X = torch.randn(64, 6)
Y = X @ torch.randn(6, 1) + 3.0
model = nn.Sequential(nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 1))
trainer = Trainer(model)
trainer.fit(DataLoader(TensorDataset(X, Y), batch_size=16, shuffle=True), epochs=4)
