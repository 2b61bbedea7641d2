from collections import deque

import torch


class PrefetchQueue:
    """Keeps a few batches ready on the training device."""

    def __init__(self, device, depth=2):
        self.device = torch.device(device)
        self.depth = depth
        self.queue = deque()
        self.bytes_on_device = 0

    def put(self, batch):
        moved = {k: v.to(self.device, non_blocking=True) for k, v in batch.items()}
        first = next(iter(moved.values()))
        if first.device.type == "cuda":
            self.record(moved)
        self.queue.append(moved)
        while len(self.queue) > self.depth:
            self.queue.popleft()

    def record(self, batch):
        self.bytes_on_device += sum(v.numel() * v.element_size() for v in batch.values())

    def get(self):
        return self.queue.popleft()

    def __len__(self):
        return len(self.queue)


def feed(loader, device):
    queue = PrefetchQueue(device)
    for batch in loader:
        queue.put(batch)
        if len(queue) == queue.depth:
            yield queue.get()
    while len(queue):
        yield queue.get()
