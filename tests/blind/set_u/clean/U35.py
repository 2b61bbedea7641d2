import copy

import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class SmallNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, 3, padding=1)
        self.conv2 = nn.Conv2d(8, 16, 3, padding=1)
        self.fc = nn.Linear(16 * 7 * 7, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.conv1(x)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        return self.fc(x.flatten(1))


def count_macs(model, shape):
    """Runs once on the host so that it does not disturb the accelerator's memory statistics."""
    probe = copy.deepcopy(model).cpu().eval()
    total, handles = [], []

    def hook(mod, inputs, out):
        if isinstance(mod, nn.Conv2d):
            total.append(out[0].numel() * mod.weight[0].numel())
        else:
            total.append(mod.weight.numel())

    for mod in probe.modules():
        if isinstance(mod, (nn.Conv2d, nn.Linear)):
            handles.append(mod.register_forward_hook(hook))
    with torch.no_grad():
        probe(torch.zeros(1, *shape))
    for h in handles:
        h.remove()
    return sum(total)


model = SmallNet().to(device)
print("MACs:", count_macs(model, (1, 28, 28)))
opt = torch.optim.Adam(model.parameters())
for _ in range(3):
    x, y = torch.randn(16, 1, 28, 28, device=device), torch.randint(0, 10, (16,), device=device)
    opt.zero_grad()
    F.cross_entropy(model(x), y).backward()
    opt.step()

model.to("cpu").eval()
with torch.no_grad():
    sample = torch.randn(1, 1, 28, 28)
    print(model(sample).argmax(1).item())
