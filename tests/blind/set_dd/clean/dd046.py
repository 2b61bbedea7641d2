# %% Fine-tuning a small text regressor with large effective batches
import math

import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
ACCUM = 4
MICRO = 3


def micro_batches(n):
    for _ in range(n):
        ids = torch.randint(1, 60, (MICRO, 10))
        yield ids, ids.float().mean(1) / 60


# %%
class Scorer(nn.Module):
    def __init__(self, dim=24):
        super().__init__()
        self.emb = nn.Embedding(60, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.head = nn.Linear(dim, 1)

    def forward(self, ids):
        h = self.conv(self.emb(ids).transpose(1, 2)).relu()
        return self.head(h.amax(-1)).squeeze(-1)


model = Scorer().to(device)
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
n_micro = 10
updates_per_epoch = math.ceil(n_micro / ACCUM)
scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, max_lr=3e-3, total_steps=2 * updates_per_epoch)
criterion = nn.MSELoss()


def update():
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    scheduler.step()
    for p in model.parameters():
        p.grad = None


# %%
for epoch in range(2):
    model.train()
    running = 0.0
    for i, (ids, target) in enumerate(micro_batches(n_micro)):
        group = ACCUM if i < n_micro - n_micro % ACCUM else n_micro % ACCUM
        loss = criterion(model(ids.to(device)), target.to(device))
        (loss / group).backward()
        running += loss.item()
        if (i + 1) % ACCUM == 0 or i + 1 == n_micro:
            update()
    print(f"epoch {epoch} loss {running / n_micro:.4f} lr {scheduler.get_last_lr()[0]:.2e}")
