import torch


class WindowStream:
    """Yields (past, future) batches sampled from one long series."""

    def __init__(self, series, past=16, future=4, batch_size=8, device="cpu"):
        self.series = series
        self.past, self.future = past, future
        self.batch_size = batch_size
        self.device = torch.device(device)

    def sample(self):
        start = torch.randint(0, len(self.series) - self.past - self.future, (self.batch_size,))
        idx = start[:, None] + torch.arange(self.past + self.future)
        chunk = self.series[idx]
        chunk = chunk.to(self.device)
        return chunk[:, : self.past], chunk[:, self.past:]

    def take(self, n):
        for _ in range(n):
            yield self.sample()
