import torch


class Engine:
    """Small training engine with callbacks."""

    def __init__(self, model, optimizer, loss_fn, clip=None):
        self.model = model
        self.optimizer = optimizer
        self.loss_fn = loss_fn
        self.clip = clip
        self.callbacks = {"before": [], "after": []}

    def on(self, event, fn):
        self.callbacks[event].append(fn)
        return fn

    def emit(self, event, **kw):
        for fn in self.callbacks[event]:
            fn(self, **kw)

    def step(self, batch):
        x, y = batch
        self.emit("before", batch=batch)
        loss = self.loss_fn(self.model(x), y)
        loss.backward()
        if self.clip:
            torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.clip)
        self.optimizer.step()
        self.emit("after", loss=loss.item())
        return loss.item()

    def run(self, batches, epochs=1):
        history = []
        for _ in range(epochs):
            for batch in batches:
                history.append(self.step(batch))
        return history
