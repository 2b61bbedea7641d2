import numpy as np


class Callback:
    def on_epoch_start(self, trainer):
        pass

    def on_batch_end(self, trainer, logs):
        pass

    def on_epoch_end(self, trainer):
        pass


class LossHistory(Callback):
    def __init__(self):
        self.epochs = []

    def on_epoch_start(self, trainer):
        self.batch = []

    def on_batch_end(self, trainer, logs):
        self.batch.append(logs["loss"])

    def on_epoch_end(self, trainer):
        values = np.array(self.batch)
        self.epochs.append((values.mean(), values.std()))


class Printer(Callback):
    def on_epoch_end(self, trainer):
        print(f"epoch {trainer.epoch} lr {trainer.optimizer.param_groups[0]['lr']:.4f}")
