"""Taylor importance of hidden units, measured from activations and their gradients."""
from typing import Dict, List

import torch
from torch import nn


class ImportanceProbe:
    def __init__(self, model: nn.Module, kind=nn.ReLU):
        self.live: Dict[str, torch.Tensor] = {}
        self.scores: Dict[str, torch.Tensor] = {}
        self.handles: List = []
        for name, module in model.named_modules():
            if isinstance(module, kind):
                self.handles.append(module.register_forward_hook(self._hook(name)))

    def _hook(self, name):
        def keep(module, inputs, output):
            if output.requires_grad:
                output.retain_grad()
                self.live[name] = output
        return keep

    def collect(self):
        for name, act in self.live.items():
            value = (act.detach() * act.grad).abs().mean(dim=0)
            old = self.scores.get(name)
            self.scores[name] = value if old is None else old + value
        self.live.clear()

    def close(self):
        while self.handles:
            self.handles.pop().remove()

    def weakest(self, name, k):
        return self.scores[name].topk(k, largest=False).indices


@torch.no_grad()
def silence(linear: nn.Linear, units: torch.Tensor):
    linear.weight[units] = 0.0
    linear.bias[units] = 0.0


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = nn.Sequential(nn.Linear(6, 20), nn.ReLU(), nn.Linear(20, 20), nn.ReLU(), nn.Linear(20, 3)).to(device)
    probe = ImportanceProbe(net)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(4):
        x = torch.randn(16, 6, device=device)
        loss = nn.functional.cross_entropy(net(x), x[:, :3].argmax(1))
        opt.zero_grad()
        loss.backward()
        probe.collect()
        opt.step()
    probe.close()
    silence(net[0], probe.weakest("1", 4))
    silence(net[2], probe.weakest("3", 4))
    net.eval()
    with torch.no_grad():
        print(net(torch.randn(2, 6, device=device)).shape)


if __name__ == "__main__":
    main()
