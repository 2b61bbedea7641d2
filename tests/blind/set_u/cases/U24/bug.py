import torch
import torch.nn as nn
import torch.nn.functional as F


class SiameseNet(nn.Module):
    def __init__(self, dim=20, emb=8):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(), nn.Linear(32, emb))

    def forward(self, *inputs):
        return tuple(F.normalize(self.body(x), dim=1) for x in inputs)


class GradNorms:
    """Remembers the gradient norm of each top-level block and leaves the model tidy."""

    def __init__(self, model):
        self.model, self.rows = model, []

    def record(self, step):
        row = {"step": step}
        for name, p in self.model.named_parameters():
            if p.grad is not None:
                row[name] = p.grad.norm().item()
        self.rows.append(row)
        self.model.zero_grad()


class TripletTrainer:
    def __init__(self, device, lr=1e-2):
        self.device = device
        self.model = SiameseNet().to(device)
        self.opt = torch.optim.SGD(self.model.parameters(), lr=lr)
        self.norms = GradNorms(self.model)
        self.loss = nn.TripletMarginLoss(margin=0.5)

    def step(self, i, anchor, positive, negative):
        self.model.train()
        loss = self.loss(*self.model(anchor, positive, negative))
        loss.backward()
        self.norms.record(i)
        self.opt.step()
        return loss.item()

    def fit(self, batches):
        for i, triple in enumerate(batches):
            value = self.step(i, *(t.to(self.device) for t in triple))
            print(i, f"{value:.4f}", {k: round(v, 3) for k, v in self.norms.rows[-1].items() if k.endswith("weight")})


def triplets(n, batch=16, dim=20):
    centers = torch.randn(5, dim)
    for _ in range(n):
        a, b = torch.randint(0, 5, (batch,)), torch.randint(1, 5, (batch,))
        jitter = lambda c: c + 0.3 * torch.randn_like(c)
        yield jitter(centers[a]), jitter(centers[a]), jitter(centers[(a + b) % 5])


trainer = TripletTrainer(torch.device("cuda" if torch.cuda.is_available() else "cpu"))
initial = [p.detach().cpu().clone() for p in trainer.model.parameters()]
trainer.fit(triplets(5))
