import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = nn.Linear(4, 3).to(device)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
criterion = nn.CrossEntropyLoss(reduction="mean")
for _ in range(2):
    x, y = torch.randn(5, 4, device=device), torch.randint(3, (5,), device=device)
    loss = criterion(net(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
