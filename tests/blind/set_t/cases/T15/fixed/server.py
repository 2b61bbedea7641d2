import torch
from torch import nn
from client import Client


def federated_average(updates):
    total = sum(n for _, n in updates)
    keys = updates[0][0].keys()
    return {k: sum(state[k] * (n / total) for state, n in updates) for k in keys}


class Server:
    def __init__(self, model, clients, fraction=0.5):
        self.model = model
        self.clients = clients
        self.fraction = fraction

    def select(self):
        k = max(1, int(self.fraction * len(self.clients)))
        return [self.clients[i] for i in torch.randperm(len(self.clients))[:k].tolist()]

    def round(self):
        updates = [client.train(self.model) for client in self.select()]
        self.model.load_state_dict(federated_average(updates))

    @torch.no_grad()
    def accuracy(self):
        self.model.eval()
        right = sum((self.model(c.x).argmax(1) == c.y).sum().item() for c in self.clients)
        return right / sum(len(c) for c in self.clients)


def split_data(k, n=24):
    for i in range(k):
        x = torch.randn(n, 6) + 0.2 * i
        yield f"client{i}", (x, (x[:, 0] > x[:, 1]).long())


torch.manual_seed(0)
model = nn.Sequential(nn.Linear(6, 16), nn.Tanh(), nn.Linear(16, 2))
server = Server(model, [Client(name, data) for name, data in split_data(4)])
start = [p.detach().clone() for p in model.parameters()]
for r in range(3):
    server.round()
    print(r, server.accuracy())
