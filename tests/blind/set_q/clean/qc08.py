import threading
from queue import Queue

import torch
import torch.nn as nn


class Prefetcher:
    """Moves the next batch while the current one is being used."""

    def __init__(self, loader, device):
        self.loader, self.device = loader, torch.device(device)

    def __len__(self):
        return len(self.loader)

    def _move(self, obj):
        if torch.is_tensor(obj):
            return obj.to(self.device, non_blocking=True)
        if isinstance(obj, dict):
            return {k: self._move(v) for k, v in obj.items()}
        if isinstance(obj, (list, tuple)):
            return type(obj)(self._move(v) for v in obj)
        return obj

    def __iter__(self):
        it = iter(self.loader)
        try:
            nxt = self._move(next(it))
        except StopIteration:
            return
        for item in it:
            cur, nxt = nxt, self._move(item)
            yield cur
        yield nxt


class Background:
    def __init__(self, gen, depth=2):
        self.q = Queue(depth)
        self.t = threading.Thread(target=self._run, args=(gen,), daemon=True)
        self.t.start()

    def _run(self, gen):
        for item in gen:
            self.q.put(item)
        self.q.put(None)

    def __iter__(self):
        return iter(self.q.get, None)


def stream(n, seed=0):
    g = torch.Generator().manual_seed(seed)
    for i in range(n):
        x = torch.randn(16, 7, generator=g)
        yield {"x": x, "y": (x[:, 0] > 0).long(), "meta": {"id": i, "w": torch.ones(16)}}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Linear(7, 2).to(device)
    opt = torch.optim.SGD(net.parameters(), lr=0.5)
    seen, total = 0, 0
    for batch in Prefetcher(Background(stream(10)), device):
        per = nn.functional.cross_entropy(net(batch["x"]), batch["y"], reduction="none")
        loss = (per * batch["meta"]["w"]).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        total = total + loss.detach() * len(per)
        seen += len(per)
    print(float(total / seen))


if __name__ == "__main__":
    main()
