import torch
import torch.nn as nn
import torch.nn.functional as F


class Unet1d(nn.Module):
    def __init__(self, channels=(1, 4, 8)):
        super().__init__()
        pairs = list(zip(channels, channels[1:]))
        downs = [nn.Conv1d(a, b, 3, padding=1) for a, b in pairs]
        for i, layer in enumerate(downs):
            self.add_module(f"down{i}", layer)
        self.n_down = len(downs)
        self.ups = nn.ModuleList(nn.Conv1d(2 * b, a, 3, padding=1) for a, b in reversed(pairs))
        scales = [nn.Parameter(torch.ones(1)) for _ in pairs]
        self.scales = nn.ParameterList(scales)
        self.last = nn.Sequential(*[nn.Conv1d(channels[0], channels[0], 1)])
        # the order in which they are used, all of them are registered above
        self.path = [(layer, scale) for layer, scale in zip(downs, self.scales)]

    def forward(self, x):
        skips = []
        for layer, scale in self.path:
            x = F.relu(layer(x)) * scale
            skips.append(x)
        for up in self.ups:
            x = F.relu(up(torch.cat([x, skips.pop()], dim=1)))
        return self.last(x)


class Distilled:
    """Holds two networks, it is no module itself and moves both."""

    def __init__(self, student, teacher):
        self.nets = [student, teacher]

    def to(self, device):
        for net in self.nets:
            net.to(device)
        return self

    def loss(self, x):
        student, teacher = self.nets
        with torch.no_grad():
            wanted = teacher(x)
        return F.l1_loss(student(x), wanted + 0.1 * x)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Unet1d()
pair = Distilled(model, Unet1d().eval()).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
for step in range(3):
    loss = pair.loss(torch.randn(6, 1, 16, device=device))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    print(step, loss.item())
