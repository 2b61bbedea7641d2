import functools
import json
import pathlib

import torch

read = functools.partial(torch.load, map_location="cpu", weights_only=True)


class CheckpointDir:
    def __init__(self, path, keep=2):
        self.path = pathlib.Path(path)
        self.path.mkdir(parents=True, exist_ok=True)
        self.keep = keep

    def files(self):
        return sorted(self.path.glob("step_*.pt"))

    def save(self, step, **parts):
        target = self.path / f"step_{step:06d}.pt"
        torch.save({name: part.state_dict() for name, part in parts.items()}, target)
        (self.path / "latest.json").write_text(json.dumps({"step": step, "file": target.name}))
        for old in self.files()[:-self.keep]:
            old.unlink()

    def load(self, **parts):
        """Returns the step to go on from; the parts put the weights where their own are."""
        note = self.path / "latest.json"
        if not note.exists():
            return 0
        info = json.loads(note.read_text())
        state = read(self.path / info["file"])
        for name, part in parts.items():
            part.load_state_dict(state[name])
        return info["step"] + 1
