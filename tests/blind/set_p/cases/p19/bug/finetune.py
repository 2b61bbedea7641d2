import torch
import torch.nn.functional as F

from backbone import pretrained, replace_head


def fit(model, optimizer, device, steps=10):
    model.train()
    for _ in range(steps):
        x = torch.randn(32, 12, device=device)
        y = (x[:, 0] > 0).long() + (x[:, 1] > 0).long()
        loss = F.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = pretrained()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.01)
model = replace_head(model, classes=3).to(device)

print("loss", fit(model, optimizer, device))
model.eval()
with torch.no_grad():
    x = torch.randn(64, 12, device=device)
    print("classes", model(x).argmax(1).bincount(minlength=3).tolist())
