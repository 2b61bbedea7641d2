import logging
from collections import defaultdict

log = logging.getLogger(__name__)


class Callback:
    def on_step_end(self, trainer, logs):
        pass

    def on_epoch_end(self, trainer, epoch):
        pass


class History(Callback):
    """Keeps what the trainer reports, epoch by epoch."""

    def __init__(self):
        self.values = defaultdict(list)

    def on_step_end(self, trainer, logs):
        for name, value in logs.items():
            self.values[name].append(value)

    def on_epoch_end(self, trainer, epoch):
        for name, seq in self.values.items():
            log.info("%s: %.4f", name, float(sum(seq) / len(seq)))


class CallbackList(Callback):
    def __init__(self, callbacks=()):
        self.callbacks = list(callbacks)

    def on_step_end(self, trainer, logs):
        for c in self.callbacks:
            c.on_step_end(trainer, logs)

    def on_epoch_end(self, trainer, epoch):
        for c in self.callbacks:
            c.on_epoch_end(trainer, epoch)
