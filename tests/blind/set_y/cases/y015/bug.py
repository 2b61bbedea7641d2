import copy

import torch
import torch.nn.functional as F
from torch import nn


class Client:
    def __init__(self, features, labels, lr=0.05, local_epochs=2):
        self.features, self.labels = features, labels
        self.lr, self.local_epochs = lr, local_epochs

    def __len__(self):
        return len(self.labels)

    def batches(self, size=10):
        perm = torch.randperm(len(self))
        for chunk in perm.split(size):
            yield self.features[chunk], self.labels[chunk]

    def local_update(self, global_model, device):
        model = copy.deepcopy(global_model)
        model.train()
        optimizer = torch.optim.SGD(model.parameters(), lr=self.lr)
        steps = 0
        for _ in range(self.local_epochs):
            for x, y in self.batches():
                x, y = x.to(device), y.to(device)
                loss = F.cross_entropy(model(x), y)
                loss.backward()
                optimizer.step()
                steps += 1
        grads = [p.grad.detach().clone() for p in model.parameters()]
        return model.state_dict(), steps, grads, (x, y)


def average(states, sizes):
    total = float(sum(sizes))
    return {k: sum(s[k] * (n / total) for s, n in zip(states, sizes)) for k in states[0]}


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
server = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 3)).to(device)
clients = [Client(torch.randn(n, 6), torch.randint(0, 3, (n,))) for n in (20, 30, 40)]
for round_ in range(2):
    states, grads, last = [], None, None
    for client in clients:
        state, steps, grads, last = client.local_update(server, device)
        states.append(state)
    server.load_state_dict(average(states, [len(c) for c in clients]))
with torch.no_grad():
    acc = sum((server(c.features.to(device)).argmax(1).cpu() == c.labels).sum().item() for c in clients)
print("accuracy", acc / sum(len(c) for c in clients), steps)
