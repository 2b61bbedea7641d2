import torch
import torch.nn as nn
import torch.nn.functional as F

from structures import Instances


class BoxHead(nn.Module):
    def __init__(self, dim, classes):
        super().__init__()
        self.cls = nn.Linear(dim, classes)
        self.reg = nn.Linear(dim, 4)

    def forward(self, feats):
        return Instances(logits=self.cls(feats), boxes=self.reg(feats).sigmoid())


def sample(n):
    labels = torch.randint(0, 3, (n,))
    feats = F.one_hot(labels, 8).float() + 0.1 * torch.randn(n, 8)
    return Instances(feats=feats, labels=labels, boxes=torch.rand(n, 4))


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    head = BoxHead(8, 3)
    head.to(device)
    optimizer = torch.optim.Adam(head.parameters(), lr=1e-2)
    kept = []
    for step in range(6):
        batch = sample(16)
        batch.to(device)
        pred = head(batch.feats)
        loss = F.cross_entropy(pred.logits, batch.labels) + F.l1_loss(pred.boxes, batch.boxes)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        pred.detach()
        pred.to("cpu")
        kept.append(pred.boxes[pred.logits.argmax(1) == 0])
    print("class 0 boxes:", sum(len(k) for k in kept), torch.cat(kept).numpy().mean())


if __name__ == "__main__":
    main()
