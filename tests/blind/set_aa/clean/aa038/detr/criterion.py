import torch
import torch.nn as nn
import torch.nn.functional as F


class SetCriterion(nn.Module):
    def __init__(self, classes, matcher, eos=0.1):
        super().__init__()
        self.classes, self.matcher = classes, matcher
        weight = torch.ones(classes + 1)
        weight[-1] = eos
        self.register_buffer("weight", weight)

    def forward(self, outputs, targets):
        pairs = self.matcher(outputs, targets)
        batch = torch.cat([torch.full_like(src, i) for i, (src, _) in enumerate(pairs)])
        query = torch.cat([src for src, _ in pairs])
        labels = torch.cat([t["labels"][j] for t, (_, j) in zip(targets, pairs)])
        boxes = torch.cat([t["boxes"][j] for t, (_, j) in zip(targets, pairs)])
        goal = torch.full(outputs["logits"].shape[:2], self.classes, device=labels.device)
        goal[batch, query] = labels
        return {
            "class": F.cross_entropy(outputs["logits"].transpose(1, 2), goal, self.weight),
            "box": F.l1_loss(outputs["boxes"][batch, query], boxes),
        }
