import torch


class Corpus:
    def __init__(self, length=400, vocab=20, seed=0):
        g = torch.Generator().manual_seed(seed)
        self.ids = torch.randint(0, vocab, (length,), generator=g)
        self.vocab = vocab

    def batchify(self, bsz):
        n = self.ids.numel() // bsz
        return self.ids[: n * bsz].view(bsz, n)

    @staticmethod
    def segments(data, bptt):
        for i in range(0, data.size(1) - 1, bptt):
            width = min(bptt, data.size(1) - 1 - i)
            yield data[:, i:i + width], data[:, i + 1:i + 1 + width]
