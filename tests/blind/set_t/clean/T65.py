import copy
import torch
from torch import nn
import torch.nn.functional as F


class Client:
    """FedProx client: the proximal term pulls towards the server's weights."""

    def __init__(self, x, y, mu=0.1):
        self.x, self.y, self.mu = x, y, mu
        self.personal_head = None

    def train(self, server_model, steps, lr=0.05):
        device = next(server_model.parameters()).device
        anchor = [p.detach().clone() for p in server_model.parameters()]
        model = copy.deepcopy(server_model)
        if self.personal_head is not None:
            model.head.load_state_dict(self.personal_head)
        model.train()
        optimizer = torch.optim.SGD(model.parameters(), lr=lr)
        for _ in range(steps):
            idx = torch.randint(len(self.x), (8,))
            x, y = self.x[idx].to(device), self.y[idx].to(device)
            prox = sum((p - a).square().sum() for p, a in zip(model.parameters(), anchor))
            loss = F.cross_entropy(model(x), y) + 0.5 * self.mu * prox
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        self.personal_head = {k: v.cpu() for k, v in model.head.state_dict().items()}
        with torch.no_grad():
            return [p.detach() - a for p, a in zip(model.parameters(), anchor)], len(self.x)


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(5, 16), nn.ReLU())
        self.head = nn.Linear(16, 3)

    def forward(self, x):
        return self.head(self.body(x))


class Server:
    def __init__(self, model, clients, lr=1.0, momentum=0.9, noise=1e-3, clip=1.0):
        self.model, self.clients = model, clients
        self.lr, self.momentum, self.noise, self.clip = lr, momentum, noise, clip
        self.velocity = [torch.zeros_like(p) for p in model.parameters()]

    @torch.no_grad()
    def apply(self, updates):
        total = sum(n for _, n in updates)
        for i, (p, v) in enumerate(zip(self.model.parameters(), self.velocity)):
            mean = torch.zeros_like(p)
            for delta, n in updates:
                scale = min(1.0, self.clip / (delta[i].norm().item() + 1e-12))
                mean += delta[i] * (scale * n / total)
            mean += self.noise * torch.randn_like(mean)
            v.mul_(self.momentum).add_(mean)
            p.add_(v, alpha=self.lr)

    def round(self, steps=3):
        self.apply([c.train(self.model, steps) for c in self.clients])

    @torch.no_grad()
    def evaluate(self):
        self.model.eval()
        device = next(self.model.parameters()).device
        hits = sum((self.model(c.x.to(device)).argmax(1).cpu() == c.y).sum().item() for c in self.clients)
        return hits / sum(len(c.x) for c in self.clients)


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    clients = []
    for shift in range(3):
        x = torch.randn(30, 5) + 0.3 * shift
        clients.append(Client(x, x[:, :3].argmax(1)))
    server = Server(Model().to(device), clients)
    for r in range(3):
        server.round()
        print(r, server.evaluate())
