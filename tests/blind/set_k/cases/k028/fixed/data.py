import torch


def pairs(n_batches, batch=8, vocab=30, length=6):
    for _ in range(n_batches):
        left = torch.randint(0, vocab, (batch, length))
        right = torch.where(torch.rand(batch, 1) > 0.5, left, torch.randint(0, vocab, (batch, length)))
        label = (left == right).all(1).float()
        yield {"pair": (left, right), "label": label, "source": "synthetic"}
