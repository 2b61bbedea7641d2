import torch


class Engine:
    def __init__(self, model, optimizer, loss_fn):
        self.model, self.optimizer, self.loss_fn = model, optimizer, loss_fn

    def forward(self, x, y):
        return self.loss_fn(self.model(x), y)

    @torch.no_grad()
    def evaluate(self, batches):
        self.model.eval()
        total = sum(self.forward(x, y).item() for x, y in batches)
        self.model.train()
        return total / len(batches)

    def train(self, batches):
        self.model.train()
        for x, y in batches:
            loss = self.forward(x, y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
