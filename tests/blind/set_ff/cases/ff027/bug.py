import torch
from torch import nn
from torch.optim.lr_scheduler import LambdaLR


class Callback:
    def on_step_end(self, trainer):
        pass

    def on_epoch_end(self, trainer, epoch):
        pass


class PrintLoss(Callback):
    def on_epoch_end(self, trainer, epoch):
        print(f"epoch {epoch} loss {trainer.last:.4f} lr {trainer.scheduler.get_last_lr()[0]:.2e}")


class StepCounter(Callback):
    def __init__(self):
        self.steps = 0

    def on_step_end(self, trainer):
        self.steps += 1


class Trainer:
    def __init__(self, model, loss_fn, lr=1e-2, callbacks=()):
        self.model = model
        self.loss_fn = loss_fn
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
        self.scheduler = LambdaLR(self.optimizer, lambda s: 1 / (1 + 0.01 * s))
        self.callbacks = list(callbacks)
        self.last = float("nan")

    def emit(self, event, *args):
        for cb in self.callbacks:
            getattr(cb, event)(self, *args)

    def compute(self, batch):
        x, y = batch
        return self.loss_fn(self.model(x), y)

    def apply_gradients(self):
        self.optimizer.zero_grad()
        self.optimizer.step()
        self.scheduler.step()

    def train_step(self, batch):
        loss = self.compute(batch)
        loss.backward()
        self.apply_gradients()
        self.last = loss.item()
        self.emit("on_step_end")

    def fit(self, data, epochs):
        self.model.train()
        for epoch in range(epochs):
            for batch in data:
                self.train_step(batch)
            self.emit("on_epoch_end", epoch)


def main():
    torch.manual_seed(0)
    data = [(torch.randn(8, 5), torch.randn(8, 1)) for _ in range(4)]
    model = nn.Sequential(nn.Linear(5, 16), nn.SiLU(), nn.Linear(16, 1))
    counter = StepCounter()
    Trainer(model, nn.MSELoss(), callbacks=[PrintLoss(), counter]).fit(data, 2)
    print(counter.steps)


if __name__ == "__main__":
    main()
