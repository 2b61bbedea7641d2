import torch
import torch.nn.functional as F

from .meters import ConfusionMeter


class Engine:
    def __init__(self, model, optimizer, device):
        self.model, self.optimizer, self.device = model, optimizer, device
        self.history = []

    def _batches(self, loader):
        for image, mask in loader:
            yield image.to(self.device), mask.to(self.device)

    def train_epoch(self, loader):
        self.model.train()
        for image, mask in self._batches(loader):
            loss = F.cross_entropy(self.model(image), mask)
            self.optimizer.zero_grad(set_to_none=True)
            loss.backward()
            self.optimizer.step()

    def evaluate(self, loader, num_classes=4):
        self.model.eval()
        meter, losses = ConfusionMeter(num_classes), []
        for image, mask in self._batches(loader):
            logits = self.model(image)
            self.last_logits = logits
            losses.append(F.cross_entropy(logits, mask).item())
            meter.update(logits.argmax(1), mask)
        return {"loss": sum(losses) / len(losses), "miou": meter.miou()}

    def fit(self, train_loader, val_loader, epochs):
        for _ in range(epochs):
            self.train_epoch(train_loader)
            self.history.append(self.evaluate(val_loader))
