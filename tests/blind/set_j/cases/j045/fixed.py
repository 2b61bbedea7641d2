import torch
import torch.nn as nn
import torch.nn.functional as F

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class PatchEncoder(nn.Module):
    def __init__(self, patch=4, dim=32, classes=10):
        super().__init__()
        self.proj = nn.Conv2d(3, dim, patch, patch)
        self.layer = nn.TransformerEncoderLayer(dim, 4, 64, dropout=0.0, batch_first=True)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        t = self.proj(x).flatten(2).transpose(1, 2)
        return self.head(self.layer(t).mean(1))

    def reset_classifier(self, classes):
        self.head = nn.Linear(self.head.in_features, classes).to(self.head.weight.device)


def param_groups(model, lr, backbone_scale=0.1):
    head = list(model.head.parameters())
    ids = {id(p) for p in head}
    body = [p for p in model.parameters() if id(p) not in ids]
    return [{"params": body, "lr": lr * backbone_scale}, {"params": head, "lr": lr}]


model = PatchEncoder().to(device)
model.reset_classifier(3)
optimizer = torch.optim.AdamW(param_groups(model, 1e-3), weight_decay=0.05)
head_before = model.head.weight.detach().clone()

for step in range(4):
    x = torch.rand(8, 3, 16, 16, device=device)
    y = torch.randint(0, 3, (8,), device=device)
    loss = F.cross_entropy(model(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
print(loss.item())
