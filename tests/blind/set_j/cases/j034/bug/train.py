import torch
import torch.nn as nn

from losses import combine, detection_losses

torch.manual_seed(0)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Head(nn.Module):
    def __init__(self, d=16, classes=4):
        super().__init__()
        self.shared = nn.Sequential(nn.Linear(d, 32), nn.ReLU())
        self.cls, self.box = nn.Linear(32, classes), nn.Linear(32, 4)

    def forward(self, x):
        h = self.shared(x)
        return self.cls(h), self.box(h)


model = Head().to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
for it in range(5):
    roi = torch.randn(40, 16, device=device)
    labels = torch.randint(0, 4, (40,), device=device)
    boxes = torch.rand(40, 4, device=device)
    parts = detection_losses(*model(roi), labels, boxes)
    loss = combine(parts, {"box": 2.0})
    opt.zero_grad()
    loss.backward()
    opt.step()
    if it % 2 == 0:
        print(it, {k: round(v.item(), 3) for k, v in parts.items()})
