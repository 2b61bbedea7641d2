import copy
import torch
import torch.nn as nn
import torch.nn.functional as F


class Snapshot:
    """Cyclic learning rate, one ensemble member at the end of each cycle."""

    def __init__(self, model, cycles, steps, lr=0.1):
        self.model = model
        self.steps = steps
        self.cycles = cycles
        self.optimizer = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9)
        self.scheduler = torch.optim.lr_scheduler.CosineAnnealingWarmRestarts(self.optimizer, steps)
        self.members = []

    def run(self, sampler):
        for _ in range(self.cycles):
            self.model.train()
            for _ in range(self.steps):
                x, y = sampler()
                loss = F.cross_entropy(self.model(x), y)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.scheduler.step()
            self.members.append(copy.deepcopy(self.model).eval().requires_grad_(False))
        return self

    @torch.no_grad()
    def predict(self, x):
        return torch.stack([m(x).softmax(-1) for m in self.members]).mean(0)


class TextCNN(nn.Module):
    def __init__(self, vocab=50, dim=16, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList(nn.Conv1d(dim, 8, k, padding=k // 2) for k in (1, 3, 5))
        self.out = nn.Linear(24, classes)
        self.evidence = None

    def forward(self, ids):
        x = self.emb(ids).transpose(1, 2)
        maps = [F.relu(c(x)) for c in self.convs]
        self.evidence = torch.stack([m.detach().amax(1) for m in maps]).amax(0)
        return self.out(torch.cat([m.amax(-1) for m in maps], 1))

    def highlight(self, ids, k=2):
        return ids.gather(1, self.evidence.topk(k).indices).cpu().tolist()


class Sampler:
    def __init__(self, device, n=24, t=10):
        self.device, self.n, self.t = device, n, t

    def __call__(self):
        ids = torch.randint(0, 50, (self.n, self.t))
        y = (ids // 17).mode(1).values
        return ids.to(self.device), y.to(self.device)


def temperature_scale(probs, y):
    logp = probs.clamp(min=1e-8).log()
    log_t = torch.zeros((), device=probs.device, requires_grad=True)
    optimizer = torch.optim.LBFGS([log_t], max_iter=10)

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(logp / log_t.exp(), y)
        loss.backward()
        return loss

    optimizer.step(closure)
    return log_t.exp().item()


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    sampler = Sampler(device)
    model = TextCNN().to(device)
    ensemble = Snapshot(model, cycles=3, steps=5).run(sampler)
    x, y = sampler()
    probs = ensemble.predict(x)
    print("accuracy", (probs.argmax(-1) == y).float().mean().item(), "temperature", temperature_scale(probs, y))
    with torch.no_grad():
        model(x[:2])
    print(model.highlight(x[:2]))
