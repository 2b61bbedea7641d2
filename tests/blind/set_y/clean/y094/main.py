import torch
from torch import nn

from structures import random_instances


class RoIHead(nn.Module):
    def __init__(self, ch=8, classes=3):
        super().__init__()
        self.conv, self.fc = nn.Conv2d(3, ch, 3, padding=1), nn.Linear(ch, classes)

    @property
    def device(self):
        return self.fc.weight.device

    def forward(self, images, instances):
        fmap = torch.relu(self.conv(images.to(self.device)))
        pooled, labels = [], []
        for f, inst in zip(fmap, instances):
            for x0, y0, x1, y1 in inst.boxes.round().int().tolist():
                pooled.append(f[:, y0:y1, x0:x1].mean(dim=(1, 2)))
            labels.append(inst.classes)
        return nn.functional.cross_entropy(self.fc(torch.stack(pooled)), torch.cat(labels))


if __name__ == "__main__":
    head = RoIHead().to("cuda:0" if torch.cuda.is_available() else "cpu")
    opt = torch.optim.SGD(head.parameters(), lr=0.05)
    for step in range(3):
        instances = [random_instances(n).to(head.device) for n in (2, 3)]
        loss = head(torch.rand(2, 3, 16, 16), instances)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item(), instances[0].device.type, instances[1].names)
