import torch
import torch.nn as nn
import torch.nn.functional as F


class DenseLayer(nn.Sequential):
    def __init__(self, cin, growth):
        super().__init__(nn.BatchNorm2d(cin), nn.ReLU(inplace=True), nn.Conv2d(cin, growth, 3, padding=1))


class DenseNet(nn.Module):
    def __init__(self, growth=4, depth=3, classes=4):
        super().__init__()
        self.layer_names = []
        for i in range(depth):
            name = f"dense{i + 1}"
            self.add_module(name, DenseLayer(3 + i * growth, growth))
            self.layer_names.append(name)
        width = 3 + depth * growth
        self.norm = nn.BatchNorm2d(width)
        self.cls = nn.Linear(width, classes)
        self.box = nn.Linear(width, 4)
        # plain views on the modules above, for iteration only
        self.layers = [getattr(self, n) for n in self.layer_names]
        self.heads = {"cls": self.cls, "box": self.box}

    def forward(self, x):
        for layer in self.layers:
            x = torch.cat([x, layer(x)], dim=1)
        x = F.relu(self.norm(x)).mean(dim=(2, 3))
        return {k: h(x) for k, h in self.heads.items()}


class Distiller(nn.Module):
    """The teacher stays outside the module tree, so it is neither trained nor saved."""

    def __init__(self, student, teacher):
        super().__init__()
        self.student = student
        self._teacher = [teacher.eval().requires_grad_(False)]

    def forward(self, x, y):
        out, ref = self.student(x), self._teacher[0](x)
        kl = F.kl_div(out["cls"].log_softmax(1), ref["cls"].softmax(1), reduction="batchmean")
        return F.cross_entropy(out["cls"], y) + kl + F.l1_loss(out["box"], ref["box"])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Distiller(DenseNet().to(device), DenseNet(growth=6).to(device))
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for it in range(3):
    x, y = torch.rand(6, 3, 12, 12, device=device), torch.randint(0, 4, (6,), device=device)
    loss = model(x, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(it, loss.item())
print(len(model.state_dict()), len(list(model.student.parameters())))
