import torch
import torch.nn as nn

from blocks import stack


class WaveModel(nn.Module):
    def __init__(self, dim=8, depth=3, levels=16):
        super().__init__()
        self.embed = nn.Embedding(levels, dim)
        self.blocks = nn.ModuleList(stack(dim, depth))
        self.out = nn.Conv1d(dim, levels, 1)

    def forward(self, codes):
        h = self.embed(codes).transpose(1, 2)
        for block in self.blocks:
            h = block(h)
        return self.out(h)


def mu_law(wave, levels):
    scaled = torch.sign(wave) * torch.log1p(15 * wave.abs()) / torch.log1p(torch.tensor(15.0))
    return ((scaled + 1) / 2 * (levels - 1)).round().long()


model = WaveModel()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
criterion = nn.CrossEntropyLoss()
for step in range(8):
    phase = torch.rand(4, 1) * 6.28
    wave = torch.sin(torch.linspace(0, 12, 65) + phase)
    codes = mu_law(wave, 16)
    logits = model(codes[:, :-1])
    loss = criterion(logits, codes[:, 1:])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 4 == 0:
        print(step, f"{loss.item():.3f}")
