import torch
import torch.nn.functional as F

from model import Net, accuracy, uncertainty

device = "cuda" if torch.cuda.is_available() else "cpu"
net = Net().to(device)
optimizer = torch.optim.Adam([p for p in net.parameters() if p.requires_grad], lr=1e-2)
x_val, y_val = torch.randn(20, 2, 9, device=device), torch.randint(0, 2, (20,), device=device)

net.train()
for step in range(6):
    x, y = torch.randn(16, 2, 9, device=device), torch.randint(0, 2, (16,), device=device)
    loss = F.cross_entropy(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 2 == 0:
        print(step, loss.item(), accuracy(net, x_val, y_val))

print("spread", uncertainty(net, x_val))
