import torch
import torch.nn as nn
import torch.nn.functional as F


class ClipMixin:
    max_norm = 1.0

    def after_backward(self):
        self.norm = nn.utils.clip_grad_norm_(self.model.parameters(), self.max_norm).item()
        super().after_backward()


class LoopMixin:
    def after_backward(self):
        pass

    def train_step(self, *batch):
        loss = self.loss(*batch)
        loss.backward()
        self.after_backward()
        self.update()
        return loss.item()

    def update(self):
        for opt in self.optimizers:
            opt.zero_grad()
            opt.step()


class MetricTrainer(ClipMixin, LoopMixin):
    def __init__(self, model, lr):
        self.model = model
        embeds = [p for n, p in model.named_parameters() if "embed" in n]
        rest = [p for n, p in model.named_parameters() if "embed" not in n]
        self.optimizers = [torch.optim.SGD(embeds, lr=10 * lr), torch.optim.AdamW(rest, lr=lr)]

    def loss(self, user, item, rating):
        return F.mse_loss(self.model(user, item), rating)


class MatrixFactor(nn.Module):
    def __init__(self, users, items, dim=8):
        super().__init__()
        self.user_embed = nn.Embedding(users, dim)
        self.item_embed = nn.Embedding(items, dim)
        self.mlp = nn.Sequential(nn.Linear(2 * dim, 16), nn.ReLU(), nn.Linear(16, 1))

    def forward(self, u, i):
        a, b = self.user_embed(u), self.item_embed(i)
        return (a * b).sum(1) + self.mlp(torch.cat([a, b], 1)).squeeze(1)


data = [(torch.randint(0, 30, (16,)), torch.randint(0, 40, (16,)), torch.rand(16) * 5) for _ in range(5)]
trainer = MetricTrainer(MatrixFactor(30, 40), 1e-3)
for epoch in range(3):
    losses = [trainer.train_step(*batch) for batch in data]
    print(epoch, sum(losses) / len(losses), trainer.norm)
