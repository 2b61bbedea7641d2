import torch
from torch import nn
from metrics import Confusion, Mean

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 4, 1)).to(device)
opt = torch.optim.Adam(net.parameters(), lr=1e-3)
loss_mean, confusion = Mean(), Confusion(4, device)
for epoch in range(2):
    loss_mean.reset()
    confusion.reset()
    for _ in range(3):
        x = torch.randn(2, 3, 8, 8, device=device)
        y = torch.randint(0, 4, (2, 8, 8), device=device)
        logits = net(x)
        loss = nn.functional.cross_entropy(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        loss_mean.update(loss, len(x))
        confusion.update(logits, y)
    print(epoch, loss_mean.compute(), confusion.iou())
