import torch.nn.functional as F


def wasserstein(real, fake):
    return fake.mean() - real.mean()


def info_loss(logits, code):
    return F.cross_entropy(logits, code)
