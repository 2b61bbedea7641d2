import functools
import os
import tempfile

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
load = functools.partial(torch.load, map_location=device, weights_only=True)


class Checkpointer:
    def __init__(self, folder, keep=2):
        self.folder, self.keep, self.paths = folder, keep, []

    def save(self, step, **parts):
        path = os.path.join(self.folder, f"step{step}.pt")
        torch.save({name: part.state_dict() for name, part in parts.items()}, path)
        self.paths.append(path)
        while len(self.paths) > self.keep:
            os.remove(self.paths.pop(0))

    def restore(self, **parts):
        if not self.paths:
            return False
        state = load(self.paths[-1])
        for name, part in parts.items():
            part.load_state_dict(state[name])
        return True


def peek(path):
    return list(torch.load(path, "cpu"))


if __name__ == "__main__":
    model = nn.Linear(3, 3).to(device)
    optimizer = torch.optim.Adam(model.parameters())
    with tempfile.TemporaryDirectory() as folder:
        ckpt = Checkpointer(folder)
        for step in range(3):
            loss = model(torch.ones(2, 3, device=device)).pow(2).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            ckpt.save(step, model=model, optimizer=optimizer)
        print(ckpt.restore(model=model, optimizer=optimizer), peek(ckpt.paths[0]))
