import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset


class Stream(IterableDataset):
    def __init__(self, n, d=4, seed=0):
        self.n, self.d, self.seed = n, d, seed

    def __iter__(self):
        g = torch.Generator().manual_seed(self.seed)
        for i in range(self.n):
            x = torch.randn(self.d, generator=g)
            yield x, (x > 0).float(), i


class Prefetcher:
    """Overlaps the copy of the next batch with the work on this one when there is an accelerator."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, device
        self.pin = device.type == "cuda"

    def _move(self, batch):
        x, y, ids = batch
        return x.to(self.device, non_blocking=self.pin), y.to(self.device, non_blocking=self.pin), ids

    def __iter__(self):
        it = iter(self.loader)
        try:
            ready = self._move(next(it))
        except StopIteration:
            return
        for batch in it:
            nxt = self._move(batch)
            yield ready
            ready = nxt
        yield ready


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Linear(4, 4).to(device)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    seen = {}
    for x, y, ids in Prefetcher(DataLoader(Stream(12), batch_size=4), device):
        losses = nn.functional.binary_cross_entropy_with_logits(model(x), y, reduction="none").mean(1)
        optimizer.zero_grad()
        losses.mean().backward()
        optimizer.step()
        for i, v in zip(ids.tolist(), losses.tolist()):
            seen[i] = v
    worst = sorted(seen, key=seen.get)[-3:]
    print(worst, sum(seen.values()) / len(seen))


if __name__ == "__main__":
    main()
