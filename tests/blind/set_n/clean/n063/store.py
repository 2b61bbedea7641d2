import pathlib
import torch


class Store:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    def latest(self):
        return max(self.folder.glob("*.pt"), default=None)

    def put(self, epoch, **parts):
        torch.save({"epoch": epoch, **{k: v.state_dict() for k, v in parts.items()}}, self.folder / f"{epoch:04d}.pt")

    def get(self, **parts):
        path = self.latest()
        if path is None:
            return 0
        state = torch.load(path, map_location="cpu", weights_only=True)
        for k, part in parts.items():
            part.load_state_dict(state[k])
        return state["epoch"]
