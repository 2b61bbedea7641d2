import torch
import torch.nn.functional as F


def kl_divergence(mu, logvar):
    return -0.5 * torch.mean(1 + logvar - mu.pow(2) - logvar.exp())


def elbo(recon, x, mu, logvar, beta):
    rec = F.binary_cross_entropy_with_logits(recon, x)
    kl = kl_divergence(mu, logvar)
    return rec + beta * kl, rec, kl
