import torch
import torch.nn.functional as F

from lora.backbone import Backbone
from lora.inject import inject, merge_all

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = inject(Backbone().to(device), {"up", "down"})
model.classifier.requires_grad_(True)
trainable = [p for p in model.parameters() if p.requires_grad]
print(sum(p.numel() for p in trainable), "of", sum(p.numel() for p in model.parameters()), "trained")
opt = torch.optim.AdamW(trainable, lr=1e-2)

x, y = torch.randn(32, 6, 16, device=device), torch.randint(0, 5, (32,), device=device)
for epoch in range(3):
    for idx in torch.randperm(32).split(8):
        opt.zero_grad()
        loss = F.cross_entropy(model(x[idx]), y[idx])
        loss.backward()
        opt.step()

model.eval()
with torch.inference_mode():
    before = model(x)
merge_all(model)
with torch.inference_mode():
    gap = (model(x) - before).abs().max()
print("gap after merge", gap.item())
