"""Temporal convolution network for sensor fault detection."""
import torch
from torch import nn


class CausalConv(nn.Module):
    def __init__(self, i, o, dilation):
        super().__init__()
        self.pad = nn.ConstantPad1d((2 * dilation, 0), 0.0)
        self.conv = nn.utils.parametrizations.weight_norm(nn.Conv1d(i, o, 3, dilation=dilation))
        self.skip = nn.Conv1d(i, o, 1) if i != o else nn.Identity()

    def forward(self, x):
        return torch.relu(self.conv(self.pad(x))) + self.skip(x)


class TCN(nn.Module):
    def __init__(self, n_sensors=5, widths=(8, 8, 16)):
        super().__init__()
        chans = (n_sensors,) + tuple(widths)
        self.net = nn.Sequential(*[CausalConv(a, b, 2 ** k) for k, (a, b) in enumerate(zip(chans, chans[1:]))])
        self.out = nn.Linear(chans[-1], 1)

    def forward(self, x):
        return self.out(self.net(x)[..., -1]).squeeze(-1)


class Trainer:
    max_norm = 1.0

    def __init__(self, model, lr=1e-2):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.optim = torch.optim.RMSprop(self.model.parameters(), lr=lr)
        self.criterion = nn.BCEWithLogitsLoss()

    def get_batch(self):
        x = torch.randn(12, 5, 32, device=self.device)
        y = (x[:, 0, -4:].mean(-1) > 0).float()
        return x, y

    def forward_backward(self, x, y):
        loss = self.criterion(self.model(x), y)
        loss.backward()
        return loss.item()

    def apply_gradients(self):
        self.optim.zero_grad()
        nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm)
        self.optim.step()

    def run(self, steps):
        self.model.train()
        log = []
        for _ in range(steps):
            log.append(self.forward_backward(*self.get_batch()))
            self.apply_gradients()
        return log


if __name__ == "__main__":
    torch.manual_seed(5)
    for i, v in enumerate(Trainer(TCN()).run(6)):
        print(i, round(v, 4))
