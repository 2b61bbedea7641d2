import torch
import torch.nn.functional as F


def dice(logits, target, eps=1.0):
    p = logits.sigmoid().flatten(1)
    t = target.flatten(1)
    return 1 - ((2 * (p * t).sum(1) + eps) / (p.sum(1) + t.sum(1) + eps)).mean()


@torch.no_grad()
def validate(model, batches):
    model.eval()
    inter = union = 0.0
    for image, mask in batches:
        pred = model(image) > 0
        inter += (pred & (mask > 0)).sum().item()
        union += (pred | (mask > 0)).sum().item()
    return inter / max(union, 1)


def train(model, optimizer, train_batches, val_batches, epochs):
    model.train()
    best = 0.0
    for epoch in range(epochs):
        for image, mask in train_batches:
            logits = model(image)
            loss = F.binary_cross_entropy_with_logits(logits, mask) + dice(logits, mask)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        iou = validate(model, val_batches)
        best = max(best, iou)
        print(f"epoch {epoch} loss {loss.item():.4f} IoU {iou:.3f}")
    return best
