import logging
import random
import tempfile
from pathlib import Path

import torch
import torch.nn as nn

logger = logging.getLogger("resume")


class CheckpointManager:
    def __init__(self, folder, keep=2):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.keep = keep

    def _files(self):
        return sorted(self.folder.glob("step_*.pt"))

    def save(self, step, **objects):
        state = {name: obj.state_dict() for name, obj in objects.items()}
        state["step"] = step
        state["rng"] = torch.get_rng_state()
        if torch.cuda.is_available():
            state["cuda_rng"] = torch.cuda.get_rng_state_all()
        tmp = self.folder / "partial.tmp"
        torch.save(state, tmp)
        tmp.rename(self.folder / f"step_{step:06d}.pt")
        for old in self._files()[: -self.keep]:
            old.unlink()

    def load_latest(self, **objects):
        files = self._files()
        if not files:
            return 0
        state = torch.load(files[-1], map_location="cpu", weights_only=True)
        for name, obj in objects.items():
            obj.load_state_dict(state[name])
        torch.set_rng_state(state["rng"])
        if "cuda_rng" in state and torch.cuda.is_available():
            torch.cuda.set_rng_state_all(state["cuda_rng"])
        logger.info("resumed from %s", files[-1].name)
        return state["step"]


def build(device):
    model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 1)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.99)
    return model, optimizer, scheduler


def run(folder, total, crash_at=None):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, optimizer, scheduler = build(device)
    manager = CheckpointManager(folder)
    start = manager.load_latest(model=model, optimizer=optimizer, scheduler=scheduler)
    model.train()
    loss = None
    for step in range(start, total):
        if step == crash_at:
            return None
        x = torch.randn(32, 4).to(device)
        y = x.sum(dim=1, keepdim=True)
        loss = (model(x) - y).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        scheduler.step()
        if (step + 1) % 5 == 0:
            manager.save(step + 1, model=model, optimizer=optimizer, scheduler=scheduler)
    return None if loss is None else loss.item()


def main():
    logging.basicConfig(level=logging.INFO)
    random.seed(0)
    with tempfile.TemporaryDirectory() as a, tempfile.TemporaryDirectory() as b:
        torch.manual_seed(0)
        straight = run(a, 20)
        torch.manual_seed(0)
        run(b, 20, crash_at=12)
        resumed = run(b, 20)
    print(straight, resumed)


if __name__ == "__main__":
    main()
