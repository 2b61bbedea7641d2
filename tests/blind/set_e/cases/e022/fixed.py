import torch


class CachedLoader:
    """Moves each batch once and serves the moved copy from then on."""

    def __init__(self, batches, device):
        self.batches = list(batches)
        self.device = torch.device(device)
        self.moves = 0

    def _ready(self, batch):
        return all(v.device.type == self.device.type for v in batch.values())

    def __len__(self):
        return len(self.batches)

    def __iter__(self):
        for i, batch in enumerate(self.batches):
            if not self._ready(batch):
                batch = {k: v.to(self.device) for k, v in batch.items()}
                self.moves += 1
                self.batches[i] = batch
            yield batch


def epoch(model, loader, loss_fn, optimizer):
    model.train()
    for batch in loader:
        optimizer.zero_grad()
        loss = loss_fn(model(batch["x"]), batch["y"])
        loss.backward()
        optimizer.step()


def make(batches):
    return CachedLoader(batches, "cuda" if torch.cuda.is_available() else "cpu")
