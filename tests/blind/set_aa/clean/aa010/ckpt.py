import pathlib

import torch


class Checkpointer:
    def __init__(self, folder, keep=2, **objects):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        self.keep, self.objects = keep, objects

    def _files(self):
        return sorted(self.folder.glob("step_*.pt"), key=lambda p: int(p.stem.split("_")[1]))

    def save(self, step):
        blob = {k: o.state_dict() for k, o in self.objects.items()}
        blob["step"] = step
        torch.save(blob, self.folder / f"step_{step}.pt")
        for old in self._files()[: -self.keep]:
            old.unlink()

    def restore(self):
        files = self._files()
        if not files:
            return 0
        blob = torch.load(files[-1], map_location="cpu", weights_only=True)
        for k, o in self.objects.items():
            o.load_state_dict(blob[k])
        return blob["step"]
