class Callback:
    def on_backward(self, trainer): ...
    def on_epoch(self, trainer): ...


class GradientStats(Callback):
    """Collects per-layer gradient norms for the report."""

    def __init__(self, every=1):
        self.every = every
        self.rows = []

    def on_backward(self, trainer):
        if trainer.step % self.every:
            return
        row = {}
        for name, p in trainer.model.named_parameters():
            if p.grad is not None:
                row[name] = p.grad.norm().item()
        trainer.optimizer.zero_grad()
        self.rows.append(row)

    def on_epoch(self, trainer):
        last = self.rows[-1]
        print("largest gradient:", max(last, key=last.get))


class History(Callback):
    def __init__(self):
        self.loss = []

    def on_epoch(self, trainer):
        self.loss.append(trainer.epoch_loss)
