import numpy as np
import torch.nn as nn

from predictor import Predictor

LABELS = ["cat", "dog", "fox", "owl"]


def build():
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(),
        nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU(),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, len(LABELS)),
    )


def frames(n, rng):
    for _ in range(n):
        yield rng.integers(0, 255, size=(40, 40, 3), dtype=np.uint8)


if __name__ == "__main__":
    rng = np.random.default_rng(0)
    predict = Predictor(build(), LABELS)
    print("single:", predict(next(frames(1, rng))))
    queue = list(frames(5, rng))
    print("queue:", predict(queue))
