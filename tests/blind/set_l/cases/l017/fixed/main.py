import torch
import torch.nn as nn

from callbacks import LossHistory, Printer


class Trainer:
    def __init__(self, model, callbacks=()):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.05)
        self.callbacks = list(callbacks)
        self.epoch = 0

    def emit(self, event, *args):
        for cb in self.callbacks:
            getattr(cb, event)(self, *args)

    def step(self, x, y):
        loss = nn.functional.mse_loss(self.model(x.to(self.device)), y.to(self.device))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return {"loss": loss.item()}

    def fit(self, data, epochs):
        for self.epoch in range(epochs):
            self.emit("on_epoch_start")
            for x, y in data:
                self.emit("on_batch_end", self.step(x, y))
            self.emit("on_epoch_end")


if __name__ == "__main__":
    history = LossHistory()
    data = [(torch.randn(8, 4), torch.randn(8, 1)) for _ in range(5)]
    Trainer(nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 1)), [history, Printer()]).fit(data, 2)
    print(history.epochs)
