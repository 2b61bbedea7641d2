"""Token masking for a small masked language model."""
import torch

PAD, CLS, MASK, FIRST = 0, 1, 2, 3


def mask_tokens(ids, vocab_size, prob=0.15):
    labels = ids.clone()
    candidates = ids >= FIRST
    picked = torch.bernoulli(torch.full(ids.shape, prob)).bool() & candidates
    labels = labels.masked_fill(~picked, -100)
    roll = torch.rand_like(ids, dtype=torch.float)
    out = torch.where(picked & (roll < 0.8), torch.full_like(ids, MASK), ids)
    random_ids = torch.randint_like(ids, FIRST, vocab_size)
    out = torch.where(picked & (roll >= 0.9), random_ids, out)
    return out, labels


def padding_mask(ids):
    return ids.eq(PAD)
