import asyncio

import numpy as np
import torch
import torch.nn as nn


class Predictor:
    def __init__(self, device):
        self.device = device
        self.model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3)).to(device).eval()
        self._warm()

    @torch.inference_mode()
    def _warm(self):
        self.model(torch.zeros(1, 4, device=self.device))

    @torch.inference_mode()
    def __call__(self, items):
        x = torch.from_numpy(np.stack(items)).to(self.device)
        prob, label = self.model(x).softmax(-1).max(-1)
        return [{"label": l, "prob": round(p, 4)} for l, p in zip(label.tolist(), prob.tolist())]


class MicroBatcher:
    def __init__(self, predictor, max_batch, wait):
        self.predictor, self.max_batch, self.wait = predictor, max_batch, wait
        self.queue, self.closed = asyncio.Queue(), False

    async def submit(self, x):
        fut = asyncio.get_running_loop().create_future()
        await self.queue.put((x, fut))
        return await fut

    def close(self):
        self.closed = True

    async def loop(self):
        while not (self.closed and self.queue.empty()):
            try:
                pending = [await asyncio.wait_for(self.queue.get(), self.wait)]
            except asyncio.TimeoutError:
                continue
            while len(pending) < self.max_batch and not self.queue.empty():
                pending.append(self.queue.get_nowait())
            xs, futs = zip(*pending)
            for f, r in zip(futs, self.predictor(list(xs))):
                f.set_result(r)
