import torch
import torch.nn.functional as F

from nets import ScaledMLP
from optim import SAM, Lion

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
net = ScaledMLP().to(device)
sam = SAM(Lion(net.parameters(), lr=3e-3, weight_decay=1e-2))
x = torch.randn(64, 6).to(device)
y = x[:, :3].argmax(1)
for epoch in range(3):
    for idx in torch.randperm(64).split(32):
        def closure(xb=x[idx], yb=y[idx]):
            net.zero_grad()
            loss = F.cross_entropy(net(xb), yb)
            loss.backward()
            return loss
        value = sam.step(closure)
    print(epoch, value.item())
