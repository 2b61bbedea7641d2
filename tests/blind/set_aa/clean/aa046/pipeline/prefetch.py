import torch


class Prefetcher:
    """Copies the next batch on a side stream while the current one is used."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device
        self.stream = torch.cuda.Stream(device) if device.type == "cuda" else None

    def __len__(self):
        return len(self.loader)

    def _start(self, batch):
        if self.stream is None:
            return [t.to(self.device) for t in batch]
        with torch.cuda.stream(self.stream):
            return [t.to(self.device, non_blocking=True) for t in batch]

    def _finish(self, batch):
        if self.stream is not None:
            current = torch.cuda.current_stream(self.device)
            current.wait_stream(self.stream)
            for t in batch:
                t.record_stream(current)
        return batch

    def __iter__(self):
        ready = None
        for batch in self.loader:
            coming = self._start(batch)
            if ready is not None:
                yield ready
            ready = self._finish(coming)
        if ready is not None:
            yield ready
