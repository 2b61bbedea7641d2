import torch

TEXT = "the quick brown fox jumps over the lazy dog while the cat sleeps on a mat " * 8


class Vocabulary:
    def __init__(self, text):
        self.itos = sorted(set(text))
        self.stoi = {c: i for i, c in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def encode(self, text):
        return torch.tensor([self.stoi[c] for c in text])


def segments(ids, batch, bptt):
    """Rows are contiguous, so segment k+1 follows segment k in every row."""
    n = (len(ids) - 1) // batch
    rows = ids[: n * batch].view(batch, n)
    nxt = ids[1: n * batch + 1].view(batch, n)
    for s in range(0, n - bptt + 1, bptt):
        yield rows[:, s:s + bptt], nxt[:, s:s + bptt]
