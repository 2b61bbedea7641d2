import os
import tempfile

import torch


class Checkpointer:
    def __init__(self, directory=None, keep=2):
        self.directory = directory or tempfile.mkdtemp()
        self.keep = keep
        self.saved = []

    def save(self, model, optimizer, epoch, metric):
        path = os.path.join(self.directory, f"epoch{epoch}.pt")
        cpu_model = model.to("cpu")
        torch.save({"model": cpu_model.state_dict(), "epoch": epoch, "metric": metric,
                    "lr": optimizer.param_groups[0]["lr"]}, path)
        self.saved.append((metric, path))
        self.saved.sort()
        for _, old in self.saved[self.keep:]:
            os.remove(old)
        del self.saved[self.keep:]
        return path

    def best(self):
        return torch.load(self.saved[0][1], map_location="cpu", weights_only=True)
