import json

import torch
from torch import nn


class MetricLogger:
    def __init__(self):
        self.history = {}

    def update(self, **kw):
        for k, v in kw.items():
            if isinstance(v, torch.Tensor):
                v = v.item()
            self.history.setdefault(k, []).append(v)

    def dumps(self):
        return json.dumps({k: sum(v) / len(v) for k, v in self.history.items()})


def freeze_bn(model):
    for m in model.modules():
        if isinstance(m, (nn.BatchNorm1d, nn.BatchNorm2d)):
            m.eval()
            m.weight.requires_grad = False
            m.bias.requires_grad = False


def layer_groups(model, lr, decay=0.5):
    groups = []
    for depth, child in enumerate(reversed(list(model.children()))):
        params = [p for p in child.parameters() if p.requires_grad]
        if params:
            groups.append({"params": params, "lr": lr * decay**depth})
    return groups


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(5, 8), nn.BatchNorm1d(8), nn.ReLU(), nn.Linear(8, 2)).to(device)
    logger = MetricLogger()
    optimizer = torch.optim.SGD(layer_groups(model, 0.1), momentum=0.9)
    for _ in range(3):
        model.train()
        freeze_bn(model)
        x = torch.randn(8, 5, device=device)
        y = (x[:, 0] > 0).long()
        out = model(x)
        loss = nn.functional.cross_entropy(out, y)
        optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 2.0)
        optimizer.step()
        logger.update(loss=loss, norm=norm, acc=(out.argmax(1) == y).float().mean(), lr=optimizer.param_groups[0]["lr"])
    return logger.dumps()


if __name__ == "__main__":
    print(main())
