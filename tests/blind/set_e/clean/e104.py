import contextlib

import torch
from torch import nn


class WeightAverage:
    """Shadow weights that can be swapped in for evaluation."""

    def __init__(self, model, decay=0.9):
        self.decay = decay
        self.shadow = {n: p.detach().clone() for n, p in model.named_parameters() if p.requires_grad}

    def update(self, model):
        with torch.no_grad():
            for n, p in model.named_parameters():
                if n in self.shadow:
                    self.shadow[n].mul_(self.decay).add_(p, alpha=1 - self.decay)

    @contextlib.contextmanager
    def applied(self, model):
        backup = {n: p.detach().clone() for n, p in model.named_parameters() if n in self.shadow}
        try:
            with torch.no_grad():
                for n, p in model.named_parameters():
                    if n in self.shadow:
                        p.copy_(self.shadow[n])
            yield model
        finally:
            with torch.no_grad():
                for n, p in model.named_parameters():
                    if n in backup:
                        p.copy_(backup[n])


def validate(model, x, y):
    was_training = model.training
    model.eval()
    try:
        with torch.inference_mode():
            return nn.functional.mse_loss(model(x), y).item()
    finally:
        model.train(was_training)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.2), nn.Linear(8, 1)).to(device)
    average = WeightAverage(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    for step in range(6):
        x = torch.randn(16, 3, device=device)
        y = x.mean(1, keepdim=True)
        loss = nn.functional.mse_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        average.update(model)
        if step % 3 == 2:
            with average.applied(model) as averaged:
                print(step, loss.item(), validate(averaged, x, y))


if __name__ == "__main__":
    main()
