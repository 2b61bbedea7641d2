import os
import tempfile

import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def save(net, path):
    torch.save(net.state_dict(), path)


def restore(path):
    net = nn.Linear(3, 2)
    net.load_state_dict(torch.load(path, weights_only=True))
    return net.to(device)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as d:
        p = os.path.join(d, "w.pt")
        save(nn.Linear(3, 2).to(device), p)
        print(restore(p).weight.sum().item())
