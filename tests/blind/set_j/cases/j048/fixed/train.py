import torch
import torch.nn.functional as F

from quant import QuantMLP

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)
model = QuantMLP([8, 32, 2], bits=4).to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(128, 8, device=device)
y = (x[:, 0] * x[:, 1] > 0).long()
for epoch in range(8):
    loss = F.cross_entropy(model(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    if epoch % 4 == 0:
        print(epoch, loss.item())
