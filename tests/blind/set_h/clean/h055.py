import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class TCN(nn.Module):
    def __init__(self, cin=3, ch=16, levels=3):
        super().__init__()
        self.convs = nn.ModuleList(
            nn.Conv1d(cin if i == 0 else ch, ch, 3, dilation=2 ** i, padding=2 ** i) for i in range(levels)
        )
        self.out = nn.Linear(ch, 1)

    def forward(self, x):
        for i, conv in enumerate(self.convs):
            y = F.relu(conv(x))
            x = y if i == 0 else x + y
        return self.out(x.mean(2)).squeeze(1)


OPTIMIZERS = {
    "sgd": lambda p, lr: torch.optim.SGD(p, lr=lr, momentum=0.9),
    "adam": lambda p, lr: torch.optim.Adam(p, lr=lr),
    "rmsprop": lambda p, lr: torch.optim.RMSprop(p, lr=lr),
}


class Experiment:
    """Made from a configuration on any machine; `launch` puts it on the device of this one."""

    def __init__(self, name, lr):
        self.model = TCN()
        self.optimizer = OPTIMIZERS[name](self.model.parameters(), lr)
        self.device = torch.device("cpu")

    def launch(self, device):
        self.device = device
        self.model.to(device)
        return self

    def run(self, steps):
        self.model.train()
        for _ in range(steps):
            x = torch.randn(16, 3, 30, device=self.device)
            loss = F.mse_loss(self.model(x), x.amax((1, 2)))
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
        return loss.item()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=5)
    args = parser.parse_args()
    for name in sorted(OPTIMIZERS):
        experiment = Experiment(name, lr=1e-3).launch(torch.device(args.device))
        print(name, experiment.run(args.steps))


if __name__ == "__main__":
    main()
