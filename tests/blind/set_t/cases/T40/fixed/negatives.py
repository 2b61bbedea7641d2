import torch


class LogUniform:
    """Zipf-like candidate sampler, items sorted by popularity."""

    def __init__(self, n, k):
        self.n, self.k = n, k
        ranks = torch.arange(1, n + 1, dtype=torch.float)
        self.log_q = ((ranks + 1).log() - ranks.log()).log() - torch.tensor(n + 1.0).log().log()

    def sample(self, batch):
        return torch.multinomial(self.log_q.exp(), batch * self.k, replacement=True).view(batch, self.k)

    def correction(self, ids):
        return self.log_q.to(ids.device)[ids]
