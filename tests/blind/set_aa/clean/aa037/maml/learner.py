import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call


class InnerLoop(nn.Module):
    """Inner gradient steps with a learned step size for each weight."""

    def __init__(self, net, steps=2, lr=0.02, first_order=False):
        super().__init__()
        self.net, self.steps, self.first_order = net, steps, first_order
        self.step_size = nn.ParameterDict(
            {n.replace(".", "_"): nn.Parameter(torch.full_like(p, lr)) for n, p in net.named_parameters()}
        )

    def adapt(self, x, y):
        fast = dict(self.net.named_parameters())
        for _ in range(self.steps):
            loss = F.mse_loss(functional_call(self.net, fast, (x,)), y)
            grads = torch.autograd.grad(loss, list(fast.values()), create_graph=not self.first_order)
            fast = {
                n: w - self.step_size[n.replace(".", "_")] * g
                for (n, w), g in zip(fast.items(), grads)
            }
        return fast

    def forward(self, support, query):
        fast = self.adapt(*support)
        x, y = query
        return F.mse_loss(functional_call(self.net, fast, (x,)), y)
