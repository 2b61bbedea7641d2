import torch
from torch import nn
import torch.nn.functional as F
from space import OPTIMISERS


class Trial:
    def __init__(self, params, dim, device):
        self.params = params
        self.device = device
        self.net = nn.Sequential(nn.Linear(dim, params["hidden"]), nn.ReLU(), nn.Linear(params["hidden"], 2))
        self.opt = OPTIMISERS[params["optim"]](self.net.parameters(), lr=params["lr"])

    def run(self, x, y, epochs=2):
        self.net.to(self.device)
        for _ in range(epochs):
            for xb, yb in zip(x.split(self.params["batch"]), y.split(self.params["batch"])):
                self.opt.zero_grad()
                F.cross_entropy(self.net(xb.to(self.device)), yb.to(self.device)).backward()
                self.opt.step()
        with torch.no_grad():
            return (self.net(x.to(self.device)).argmax(1).cpu() == y).float().mean().item()
