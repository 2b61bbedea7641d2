import torch
from torch import nn
import torch.nn.functional as F


def set_dropout(model, on):
    for m in model.modules():
        if isinstance(m, nn.Dropout):
            m.train(on)


class Depth(nn.Module):
    def __init__(self, c=8, p=0.2):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(3, c, 3, padding=1), nn.BatchNorm2d(c), nn.ReLU(), nn.Dropout(p),
            nn.Conv2d(c, 2, 1),
        )

    def forward(self, x):
        mean, logvar = self.net(x).chunk(2, 1)
        return mean, logvar.clamp(-6, 6)


class Uncertain:
    def __init__(self, model, passes=4):
        self.model, self.passes = model, passes

    def __call__(self, x):
        state = self.model.training
        self.model.eval()
        set_dropout(self.model, True)
        with torch.no_grad():
            draws = [self.model(x) for _ in range(self.passes)]
        self.model.train(state)
        means = torch.stack([m for m, _ in draws])
        aleatoric = torch.stack([lv.exp() for _, lv in draws]).mean(0)
        return means.mean(0), means.var(0) + aleatoric


def nll(mean, logvar, y):
    return 0.5 * ((mean - y).pow(2) * torch.exp(-logvar) + logvar).mean()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = Depth().to(device)
predict = Uncertain(net)
opt = torch.optim.Adam(net.parameters(), 3e-3)
images = torch.rand(16, 3, 8, 8)
depth = images.mean(1, keepdim=True)
pool, labelled = list(range(16)), list(range(4))
for cycle in range(3):
    net.train()
    for _ in range(2):
        x, y = images[labelled].to(device), depth[labelled].to(device)
        loss = nll(*net(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    rest = [i for i in pool if i not in labelled]
    _, var = predict(images[rest].to(device))
    ask = var.mean((1, 2, 3)).topk(2).indices.tolist()
    labelled += [rest[i] for i in ask]
print(sorted(labelled), F.l1_loss(predict(images.to(device))[0].cpu(), depth).item())
