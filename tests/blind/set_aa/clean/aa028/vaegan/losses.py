import torch
import torch.nn.functional as F


def kl(mu, logvar):
    return -0.5 * (1 + logvar - mu.pow(2) - logvar.exp()).sum(1).mean()


def gan_real(logit):
    return F.binary_cross_entropy_with_logits(logit, torch.ones_like(logit))


def gan_fake(logit):
    return F.binary_cross_entropy_with_logits(logit, torch.zeros_like(logit))
