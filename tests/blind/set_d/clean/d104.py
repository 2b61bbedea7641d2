import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(3, 1).to(device)
opt = torch.optim.Adam(net.parameters())
total = torch.zeros(1, device=device)
count = 0
for i in range(6):
    x = torch.randn(4, 3, device=device)
    loss = net(x).pow(2).mean() / 3
    loss.backward()
    total += loss.detach()
    count += 1
    if count % 3 == 0:
        opt.step()
        opt.zero_grad()
print(total.item() / count)
