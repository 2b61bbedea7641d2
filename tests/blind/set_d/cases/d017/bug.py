import torch
from torch import nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class NoisyLinear(nn.Linear):
    def __init__(self, i, o, sigma=0.017):
        super().__init__(i, o)
        self.sigma = nn.Parameter(torch.full((o, i), sigma))

    def forward(self, x):
        eps = torch.randn(self.weight.shape, device="cuda")
        return nn.functional.linear(x, self.weight + self.sigma * eps, self.bias)


net = NoisyLinear(4, 2).to(device)
print(net(torch.ones(1, 4, device=device)).shape)
