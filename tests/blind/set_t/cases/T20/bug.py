import queue
import threading
import time
from dataclasses import dataclass
import torch
from torch import nn


@dataclass
class Request:
    payload: list
    done: threading.Event
    answer: object = None


class Embedder(nn.Module):
    def __init__(self, vocab=100, dim=16):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, dim, mode="mean")
        self.proj = nn.Linear(dim, dim)

    def forward(self, ids, offsets):
        return nn.functional.normalize(self.proj(self.bag(ids, offsets)), dim=-1)


class EmbeddingServer:
    """Collects requests into batches; the accelerator likes large ones."""

    def __init__(self, model, device):
        self.model = model.to(device).eval()
        self.inbox = queue.Queue()
        self.max_batch = self._choose_batch()

    @property
    def device(self):
        return next(self.model.parameters()).device

    def _choose_batch(self):
        return 64 if self.device == "cuda" else 4

    def collect(self):
        batch = [self.inbox.get()]
        while len(batch) < self.max_batch:
            try:
                batch.append(self.inbox.get_nowait())
            except queue.Empty:
                break
        return batch

    @torch.inference_mode()
    def serve_once(self):
        batch = self.collect()
        flat = [t for r in batch for t in r.payload]
        starts, position = [], 0
        for r in batch:
            starts.append(position)
            position += len(r.payload)
        ids = torch.tensor(flat, device=self.device)
        out = self.model(ids, torch.tensor(starts, device=self.device)).cpu()
        for r, row in zip(batch, out):
            r.answer = row.tolist()
            r.done.set()
        return len(batch)

    def submit(self, payload):
        request = Request(payload, threading.Event())
        self.inbox.put(request)
        return request


torch.manual_seed(0)
server = EmbeddingServer(Embedder(), "cuda" if torch.cuda.is_available() else "cpu")
requests = [server.submit([i, i + 1, (7 * i) % 100]) for i in range(20)]
start = time.perf_counter()
while not server.inbox.empty():
    print("served", server.serve_once())
print(len([r for r in requests if r.done.is_set()]), "answers", round(time.perf_counter() - start, 3), "s")
