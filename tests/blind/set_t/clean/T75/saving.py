import os
from pathlib import Path
import torch


class CheckpointManager:
    def __init__(self, folder, keep=2, **objects):
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.keep = keep
        self.objects = objects

    def files(self):
        return sorted(self.folder.glob("step*.pt"))

    def save(self, step, **extra):
        state = {name: obj.state_dict() for name, obj in self.objects.items()}
        state.update(extra, step=step, rng=torch.get_rng_state())
        tmp = self.folder / "writing.tmp"
        torch.save(state, tmp)
        os.replace(tmp, self.folder / f"step{step:06d}.pt")
        for old in self.files()[: -self.keep]:
            old.unlink()

    def restore(self, device):
        files = self.files()
        if not files:
            return {"step": 0}
        state = torch.load(files[-1], map_location=device, weights_only=True)
        for name, obj in self.objects.items():
            obj.load_state_dict(state.pop(name))
        torch.set_rng_state(state.pop("rng").cpu())
        return state
