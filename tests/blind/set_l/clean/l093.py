import torch
import torch.nn as nn
import torch.nn.functional as F


class HourGlass(nn.Module):
    def __init__(self, channels, depth):
        super().__init__()
        self.down, self.up = [], []
        for i in range(depth):
            down = nn.Conv1d(channels, channels, 4, stride=2, padding=1)
            up = nn.ConvTranspose1d(channels, channels, 4, stride=2, padding=1)
            self.add_module(f"down{i}", down)
            self.add_module(f"up{i}", up)
            self.down.append(down)
            self.up.append(up)

    def forward(self, x):
        skips = []
        for layer in self.down:
            skips.append(x)
            x = F.elu(layer(x))
        for layer, skip in zip(reversed(self.up), reversed(skips)):
            x = F.elu(layer(x)) + skip
        return x


class Denoiser(nn.Module):
    def __init__(self, channels=8, stacks=2, depth=2):
        super().__init__()
        self.inp = nn.Conv1d(1, channels, 3, padding=1)
        self.stacks = nn.ModuleList(HourGlass(channels, depth) for _ in range(stacks))
        self.outs = nn.ModuleList(nn.Conv1d(channels, 1, 1) for _ in range(stacks))

    def forward(self, x):
        h, outputs = self.inp(x), []
        for stack, out in zip(self.stacks, self.outs):
            h = stack(h)
            outputs.append(out(h))
        return outputs


def deep_supervision(outputs, target, decay=0.5):
    n = len(outputs)
    return sum(decay ** (n - 1 - i) * F.mse_loss(o, target) for i, o in enumerate(outputs))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Denoiser().to(device)
print(sum(p.numel() for p in model.parameters()))
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for step in range(4):
    t = torch.linspace(0, 6, 32, device=device)
    clean = torch.sin(t + 6 * torch.rand(8, 1, device=device)).unsqueeze(1)
    loss = deep_supervision(model(clean + 0.3 * torch.randn_like(clean)), clean)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
