import functools
import os
import tempfile

import torch
from torch import nn

load = functools.partial(torch.load, map_location="cpu", weights_only=True)


def loader_options(device):
    return {"map_location": device, "weights_only": True}


def save(path, **parts):
    torch.save({k: v.state_dict() for k, v in parts.items()}, path)


def restore(path, **parts):
    blob = load(path)
    for name, part in parts.items():
        part.load_state_dict(blob[name])


def read(path, device):
    return torch.load(path, **loader_options(device))


class Session:
    def __init__(self, folder):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.folder = folder
        self.net = nn.Linear(3, 3)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=1e-2)
        self.net.to(self.device)

    @property
    def path(self):
        return os.path.join(self.folder, "last.pt")

    def step(self):
        loss = self.net(torch.randn(4, 3, device=self.device)).pow(2).mean()
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        a = Session(folder)
        a.step()
        host = {k: v.cpu() for k, v in a.net.state_dict().items()}
        torch.save({"net": host}, a.path)
        b = Session(folder)
        restore(b.path, net=b.net)
        print(b.step(), sorted(read(b.path, "cpu")["net"]))
