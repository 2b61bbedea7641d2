import torch
import torch.nn as nn
import torch.nn.functional as F

from structures import Instances, random_instances


class BoxScorer(nn.Module):
    def __init__(self, hidden=24, classes=3):
        super().__init__()
        self.label = nn.Embedding(classes, 8)
        self.net = nn.Sequential(nn.Linear(12, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, inst):
        x = torch.cat([inst.boxes / 20, self.label(inst.classes)], dim=1)
        return self.net(x).squeeze(1)


def area(boxes):
    return (boxes[:, 2:] - boxes[:, :2]).prod(dim=1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model, teacher = BoxScorer(), BoxScorer()
    for net in (model, teacher):
        net.to(device)
    teacher.requires_grad_(False).eval()
    opt = torch.optim.Adam(model.parameters(), lr=3e-3)
    for step in range(6):
        inst = random_instances(12)
        inst.to(device)
        with torch.no_grad():
            soft = teacher(inst).sigmoid()
        score = model(inst)
        loss = F.binary_cross_entropy_with_logits(score, 0.5 * soft + 0.5 * (area(inst.boxes) > 16).float())
        opt.zero_grad()
        loss.backward()
        opt.step()
    found = Instances(boxes=inst.boxes, classes=inst.classes, scores=score)
    found.detach()
    found.to("cpu")
    kept = found.keep(found.scores > found.scores.median())
    model.cpu()
    print(loss.item(), len(kept), kept.scores.numpy().round(2), next(model.parameters()).device)


if __name__ == "__main__":
    main()
