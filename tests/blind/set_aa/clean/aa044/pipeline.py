import torch
import torch.nn.functional as F

from staged.blocks import Readout, Residual, Stem
from staged.pipeline import Staged

DIM = 16
model = Staged([Stem(8, DIM), Residual(DIM), Residual(DIM), Readout(DIM, 3)])
opt = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
print("placed on", [str(d) for d in model.devices])
for step in range(4):
    x, y = torch.randn(10, 8), torch.randint(0, 3, (10,))
    logits = model(x)
    loss = F.cross_entropy(logits, y.to(model.out_device))
    opt.zero_grad()
    loss.backward()
    opt.step()
    print(step, loss.item())
