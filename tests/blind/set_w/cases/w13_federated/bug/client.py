import torch
import torch.nn.functional as F


class Client:
    def __init__(self, n, device):
        self.x, self.y = torch.randn(n, 10), torch.randint(0, 3, (n,))
        self.device = device

    def train(self, model, lr=0.1, steps=2):
        opt = torch.optim.SGD(model.parameters(), lr=lr)
        x, y = self.x.to(self.device), self.y.to(self.device)
        model.train()
        for _ in range(steps):
            loss = F.cross_entropy(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        return {k: v.detach().cpu() for k, v in model.state_dict().items()}, len(x)
