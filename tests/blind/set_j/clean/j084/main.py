import torch
import torch.nn.functional as F

from pipeline import Pipelined, pick_devices

first, second = pick_devices()
model = Pipelined(10, 32, 4, first, second)
opt = torch.optim.SGD(model.parameters(), lr=0.05)
for _ in range(3):
    x, y = torch.randn(20, 10), torch.randint(0, 4, (20,))
    loss = F.cross_entropy(model(x), y.to(second))
    opt.zero_grad()
    loss.backward()
    opt.step()
print(loss.item())
