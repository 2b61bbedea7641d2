import torch

import models
from registry import MODELS, build

if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    for name in sorted(MODELS):
        net = build(name).to(device)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        loss = net(torch.randn(5, 4, device=device)).pow(2).mean()
        loss.backward()
        opt.step()
        opt.zero_grad()
        print(name, round(loss.item(), 3))
