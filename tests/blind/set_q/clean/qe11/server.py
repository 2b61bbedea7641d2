import copy

import torch

from client import Client

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Server:
    def __init__(self, model, clients, lr=1.0, beta=0.9):
        self.model, self.clients = model, clients
        self.lr, self.beta = lr, beta
        self.momentum = {k: torch.zeros_like(v) for k, v in model.state_dict().items() if v.is_floating_point()}

    def round(self, fraction):
        k = max(1, int(fraction * len(self.clients)))
        picked = [self.clients[i] for i in torch.randperm(len(self.clients))[:k].tolist()]
        base = {n: v.cpu().clone() for n, v in self.model.state_dict().items()}
        updates = [c.fit(copy.deepcopy(self.model)) for c in picked]
        total = sum(n for n, _ in updates)
        new = {}
        for name, ref in base.items():
            if not ref.is_floating_point():
                new[name] = updates[0][1][name]
                continue
            avg = sum(w[name] * (n / total) for n, w in updates)
            m = self.momentum[name]
            m.mul_(self.beta).add_((avg - ref).to(m.device))
            new[name] = ref + self.lr * (1 - self.beta) * m.cpu()
        self.model.load_state_dict(new)

    @torch.no_grad()
    def evaluate(self, x, y):
        self.model.eval()
        acc = (self.model(x.to(device)).argmax(1).cpu() == y).float().mean()
        self.model.train()
        return acc.item()


def main():
    w = torch.randn(6, 3)
    shards = []
    for i in range(5):
        x = torch.randn(40, 6) + 0.2 * i
        shards.append((x, (x @ w).argmax(1)))
    model = torch.nn.Sequential(torch.nn.Linear(6, 16), torch.nn.BatchNorm1d(16), torch.nn.ReLU(), torch.nn.Linear(16, 3))
    server = Server(model.to(device), [Client(*s, device) for s in shards])
    for r in range(4):
        server.round(0.6)
        print(r, server.evaluate(*shards[0]))


if __name__ == "__main__":
    main()
