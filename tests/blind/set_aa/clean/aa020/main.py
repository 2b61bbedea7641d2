import torch
import torch.nn.functional as F

from optimizers import OptimizerBuilder
from vit import TinyViT

ACCUM = 2
build = OptimizerBuilder(lr=1e-3)
model = TinyViT().freeze_embed()
optimizer, scheduler = build(model)
model.to("cuda" if torch.cuda.is_available() else "cpu")
device = next(model.parameters()).device

images, labels = torch.randn(24, 3, 16, 16), torch.randint(0, 5, (24,))


@torch.no_grad()
def score():
    model.eval()
    hits = (model(images.to(device)).argmax(1).cpu() == labels).sum().item()
    model.train()
    return hits / len(labels)


optimizer.zero_grad()
for micro, idx in enumerate(torch.arange(24).split(4)):
    loss = F.cross_entropy(model(images[idx].to(device)), labels[idx].to(device))
    (loss / ACCUM).backward()
    if (micro + 1) % ACCUM == 0:
        norm = torch.nn.utils.clip_grad_norm_((p for p in model.parameters() if p.requires_grad), 1.0)
        optimizer.step()
        scheduler.step()
        optimizer.zero_grad()
        print(f"update {(micro + 1) // ACCUM} norm {norm.item():.3f} lr {scheduler.get_last_lr()[0]:.1e}")
print("training accuracy", score())
