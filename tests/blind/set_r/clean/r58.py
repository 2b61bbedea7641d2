import copy

import torch
import torch.nn as nn


class Causal(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim) for _ in range(3))
        self._mask = None

    def mask(self, n, device):
        if self._mask is None or self._mask.size(0) < n or self._mask.device != device:
            self._mask = torch.ones(n, n, dtype=torch.bool, device=device).triu(1)
        return self._mask[:n, :n]

    def forward(self, x):
        scores = self.q(x) @ self.k(x).transpose(1, 2) / x.size(-1) ** 0.5
        scores = scores.masked_fill(self.mask(x.size(1), x.device), float("-inf"))
        return scores.softmax(-1) @ self.v(x)


class Tied(nn.Module):
    def __init__(self, vocab, dim):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.attend = Causal(dim)
        self.register_buffer("steps", torch.zeros(()))

    def forward(self, ids):
        self.steps += 1
        h = self.attend(self.embed(ids))
        return h @ self.embed.weight.t()


def average(into, model, rate=0.1):
    with torch.no_grad():
        for a, b in zip(into.parameters(), model.parameters()):
            a.lerp_(b, rate)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Tied(15, 8)
untrained = model(torch.randint(0, 15, (2, 5))).detach().mean().item()
weights = list(model.parameters())
frozen = copy.deepcopy(model)

model.to(device)
frozen.to(device)
optimizer = torch.optim.SGD(weights, lr=0.1)
for n in (4, 6, 5):
    ids = torch.randint(0, 15, (3, n), device=device)
    scores = model(ids[:, :-1])
    loss = nn.functional.cross_entropy(scores.flatten(0, 1), ids[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    average(frozen, model)
    print(n, loss.item(), model.steps.item(), untrained)
