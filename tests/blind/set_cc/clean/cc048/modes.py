from contextlib import contextmanager

import torch


@contextmanager
def evaluating(*models):
    before = [m.training for m in models]
    try:
        for m in models:
            m.eval()
        with torch.no_grad():
            yield
    finally:
        for m, training in zip(models, before):
            m.train(training)
