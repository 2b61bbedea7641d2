import torch
import torch.nn as nn
import torch.nn.functional as F

from matcher import flatten, match


class MiniDETR(nn.Module):
    def __init__(self, d=16, queries=4, classes=3):
        super().__init__()
        self.query = nn.Embedding(queries, d)
        self.att = nn.MultiheadAttention(d, 2, batch_first=True)
        self.cls, self.box = nn.Linear(d, classes + 1), nn.Linear(d, 4)

    def forward(self, memory):
        q = self.query.weight.expand(memory.size(0), -1, -1)
        h = q + self.att(q, memory, memory, need_weights=False)[0]
        return self.cls(h), self.box(h).sigmoid()


class SetLoss(nn.Module):
    def __init__(self, classes, eos=0.1):
        super().__init__()
        self.classes = classes
        w = torch.ones(classes + 1)
        w[-1] = eos
        self.register_buffer("weight", w)

    def forward(self, logits, boxes, targets):
        pairs = match(logits, boxes, targets)
        at = flatten(pairs)
        labels = torch.cat([t["labels"][j] for t, (_, j) in zip(targets, pairs)])
        want = torch.full(logits.shape[:2], self.classes, dtype=torch.long, device=logits.device)
        want[at] = labels
        goal = torch.cat([t["boxes"][j] for t, (_, j) in zip(targets, pairs)])
        return F.cross_entropy(logits.transpose(1, 2), want, self.weight) + 5 * F.l1_loss(boxes[at], goal)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model, criterion = MiniDETR().to(device), SetLoss(3).to(device)
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for _ in range(3):
    memory = torch.randn(2, 6, 16, device=device)
    targets = [{"labels": torch.randint(0, 3, (k,), device=device), "boxes": torch.rand(k, 4, device=device)} for k in (1, 2)]
    loss = criterion(*model(memory), targets)
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
    opt.step()
print(loss.item())
