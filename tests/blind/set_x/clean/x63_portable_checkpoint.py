"""Checkpoint round trip; the reader decides where tensors go."""
import functools
import io
from typing import Any, Callable, Dict

import torch
from torch import nn


class Store:
    """Bytes by name, with a loader chosen once."""

    def __init__(self, loader: Callable[[io.BytesIO], Dict[str, Any]]):
        self._blobs: Dict[str, bytes] = {}
        self._loader = loader

    def put(self, name: str, state: Dict[str, Any]):
        buffer = io.BytesIO()
        torch.save(state, buffer)
        self._blobs[name] = buffer.getvalue()

    def get(self, name: str):
        return self._loader(io.BytesIO(self._blobs[name]))


host_loader = functools.partial(torch.load, map_location="cpu", weights_only=True)


class Run:
    def __init__(self, device):
        self.device = device
        self.model = nn.Sequential(nn.Linear(6, 12), nn.Tanh(), nn.Linear(12, 2)).to(device)
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.step_count = 0

    def state(self):
        return {"model": self.model.state_dict(), "optimizer": self.optimizer.state_dict(), "step": self.step_count}

    def resume(self, state):
        self.model.load_state_dict(state["model"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.step_count = state["step"]

    def steps(self, n):
        self.model.train()
        for _ in range(n):
            x = torch.randn(8, 6, device=self.device)
            loss = self.model(x).pow(2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            self.step_count += 1


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    store = Store(host_loader)
    first = Run(device)
    first.steps(3)
    store.put("last", first.state())
    second = Run(device)
    second.resume(store.get("last"))
    second.steps(2)
    print(second.step_count)
