import torch
from torch import nn
import torch.nn.functional as F


class Siamese(nn.Module):
    def __init__(self):
        super().__init__()
        self.img = nn.Linear(24, 12)
        self.txt = nn.Sequential(nn.EmbeddingBag(50, 16), nn.Linear(16, 12))
        self.log_scale = nn.Parameter(torch.tensor(2.0))

    def encode_image(self, x):
        return F.normalize(self.img(x), dim=-1)

    def encode_text(self, t):
        return F.normalize(self.txt(t), dim=-1)

    def forward(self, x, t):
        return self.log_scale.exp() * self.encode_image(x) @ self.encode_text(t).t()


@torch.inference_mode()
def recall(model, x, t, k=3):
    model.eval()
    bank = model.encode_text(t)
    hits = []
    for i, row in enumerate(model.encode_image(x)):
        hits.append(i in (bank @ row).topk(k).indices.tolist())
    model.train()
    return sum(hits) / len(hits)


@torch.inference_mode()
def prototypes(model, t):
    return model.encode_text(t).mean(0)


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = Siamese().to(device)
opt = torch.optim.AdamW(model.parameters(), lr=2e-3)
x, t = torch.randn(32, 24, device=device), torch.randint(0, 50, (32, 5), device=device)
for epoch in range(3):
    centre = prototypes(model, t).clone()
    for rows in torch.randperm(32).split(8):
        logits = model(x[rows], t[rows])
        y = torch.arange(len(rows), device=device)
        loss = 0.5 * (F.cross_entropy(logits, y) + F.cross_entropy(logits.t(), y))
        loss = loss + 0.1 * (model.encode_image(x[rows]) @ centre).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        with torch.no_grad():
            model.log_scale.clamp_(0, 4.6)
    print(epoch, recall(model, x, t))
