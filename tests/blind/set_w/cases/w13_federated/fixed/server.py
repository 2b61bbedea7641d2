import copy
import torch
from torch import nn
from client import Client


class Server:
    def __init__(self, device, clients=3):
        self.device = torch.device(device)
        net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 3))
        self.worker = net.to(self.device)
        self.central = copy.deepcopy(net).to("cpu")
        self.clients = [Client(8 + 4 * i, self.device) for i in range(clients)]

    def aggregate(self, updates):
        total = sum(n for _, n in updates)
        return {k: sum(sd[k] * (n / total) for sd, n in updates) for k in updates[0][0]}

    def round(self):
        updates = []
        for c in self.clients:
            self.worker.load_state_dict(self.central.state_dict())
            updates.append(c.train(self.worker))
        self.central.load_state_dict(self.aggregate(updates))

    def accuracy(self, x, y):
        self.central.eval()
        with torch.no_grad():
            return (self.central(x).argmax(1) == y).float().mean().item()


if __name__ == "__main__":
    srv = Server("cuda" if torch.cuda.is_available() else "cpu")
    for r in range(2):
        srv.round()
        print(r, srv.accuracy(torch.randn(16, 10), torch.randint(0, 3, (16,))))
