import numpy as np


class EmbeddingSnapshot:
    """Keeps a 2d projection of the last embeddings of every epoch."""

    def __init__(self, every=1):
        self.every = every
        self.frames = []

    def after_epoch(self, trainer):
        if trainer.epoch % self.every:
            return
        z = trainer.state["embedding"]
        z = z - z.mean(0)
        points = z.detach().cpu().numpy()
        _, _, vt = np.linalg.svd(points, full_matrices=False)
        self.frames.append(points @ vt[:2].T)


class Log:
    def after_epoch(self, trainer):
        print(trainer.epoch, round(trainer.state["loss"], 4))
