import functools
import os

import torch


class Checkpointer:
    def __init__(self, folder, device, keep=2):
        os.makedirs(folder, exist_ok=True)
        self.folder, self.keep = folder, keep
        self._read = functools.partial(torch.load, map_location=device, weights_only=True)

    def _path(self, step):
        return os.path.join(self.folder, f"step_{step:06d}.pt")

    def steps(self):
        return sorted(int(f[5:11]) for f in os.listdir(self.folder) if f.startswith("step_"))

    def save(self, step, **modules):
        torch.save({k: m.state_dict() for k, m in modules.items()}, self._path(step))
        for old in self.steps()[: -self.keep]:
            os.remove(self._path(old))

    def restore(self, **modules):
        if not self.steps():
            return 0
        last = self.steps()[-1]
        state = self._read(self._path(last))
        for name, module in modules.items():
            module.load_state_dict(state[name])
        return last
