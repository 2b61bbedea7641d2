import torch


def sensitivity(embedding, head, ids):
    """Norm of the gradient at every embedded token."""
    vectors = embedding(ids)
    score = head(vectors.mean(1)).sum()
    score.backward()
    vectors.retain_grad()
    return vectors.grad.norm(dim=-1)
