import torch


class BaseTrainer:
    def __init__(self, model, optimizer, device):
        self.model = model.to(device)
        self.optimizer = optimizer
        self.device = device
        self.best = float("inf")

    def loss_on(self, batch):
        raise NotImplementedError

    def train_epoch(self, loader):
        self.model.train()
        for batch in loader:
            loss = self.loss_on(batch)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()

    def evaluate(self, loader):
        self.model.eval()
        total, count = 0.0, 0
        with torch.no_grad():
            for batch in loader:
                total += self.loss_on(batch).item() * len(batch[0])
                count += len(batch[0])
        return total / count

    def fit(self, train_loader, epochs):
        for epoch in range(epochs):
            self.train_epoch(train_loader)
            value = self.validate()
            if value < self.best:
                self.best = value
            print(f"epoch {epoch} valid {value:.4f} best {self.best:.4f}")
