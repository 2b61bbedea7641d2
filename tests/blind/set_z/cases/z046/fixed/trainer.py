import logging

import torch
import torch.nn.functional as F

logger = logging.getLogger(__name__)


class Trainer:
    def __init__(self, model, lr=1e-3, device="cpu", scheduler=None):
        self.device = torch.device(device)
        self.model = model.to(self.device)
        self.lr = lr
        self.num_classes = model.head.out_features
        self.configure()

    def configure(self):
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=self.lr)
        self.scheduler = torch.optim.lr_scheduler.StepLR(self.optimizer, 3)

    def adapt(self, num_classes):
        """Called when the data has another number of classes than the model."""
        if num_classes != self.num_classes:
            logger.info("replacing head: %d -> %d", self.num_classes, num_classes)
            self.model.reset_head(num_classes)
            self.num_classes = num_classes
            self.configure()

    def fit(self, loader, epochs):
        for epoch in range(epochs):
            self.model.train()
            for x, y in loader:
                x, y = x.to(self.device), y.to(self.device)
                loss = F.cross_entropy(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
            self.scheduler.step()
            logger.info("epoch %d %.3f", epoch, loss.item())
