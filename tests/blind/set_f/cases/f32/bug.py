import torch
from torch import nn


class FactorizationMachine(nn.Module):
    def __init__(self, fields, card, k=4):
        super().__init__()
        self.register_buffer("offsets", torch.arange(fields) * card)
        self.bias = nn.Parameter(torch.zeros(()))
        self.linear = nn.Embedding(fields * card, 1)
        self.factors = nn.Embedding(fields * card, k)

    def forward(self, cats):
        idx = cats + self.offsets
        v = self.factors(idx)
        pair = 0.5 * (v.sum(1).pow(2) - v.pow(2).sum(1)).sum(-1)
        return self.bias + self.linear(idx).sum((1, 2)) + pair


class Job:
    def __init__(self, fields=3, card=10, lr=0.1):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = FactorizationMachine(fields, card)
        self.opt = torch.optim.Adagrad(self.model.parameters(), lr=lr)
        self.fields, self.card = fields, card

    def batches(self, n, size=16):
        for _ in range(n):
            x = torch.randint(0, self.card, (size, self.fields))
            yield x.to(self.device), (x.sum(1) % 2).float().to(self.device)

    def run(self, n=4):
        self.model.to(self.device)
        losses = []
        for x, y in self.batches(n):
            loss = nn.functional.binary_cross_entropy_with_logits(self.model(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            losses.append(loss.item())
        return losses


if __name__ == "__main__":
    print(Job().run())
