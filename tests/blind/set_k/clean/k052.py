import torch
import torch.nn as nn
import torch.nn.functional as F


def clip_boxes(boxes, size):
    """Ground truth only: limits the corners to the picture, in place."""
    x1, y1, x2, y2 = boxes.unbind(-1)
    for side in (x1, x2):
        side.clamp_(0, size[1])
    for side in (y1, y2):
        side.clamp_(0, size[0])
    return boxes


def shift_channels(x, fold):
    """Temporal shift: one fold of channels from the past, one from the future."""
    out = torch.zeros_like(x)
    out[:, 1:, :fold] = x[:, :-1, :fold]
    out[:, :-1, fold:2 * fold] = x[:, 1:, fold:2 * fold]
    out[:, :, 2 * fold:] = x[:, :, 2 * fold:]
    return out


def visibility(batch, steps, hidden):
    mask = torch.ones(1, steps, dtype=torch.bool, device=hidden.device).expand(batch, -1).clone()
    mask[torch.arange(batch, device=hidden.device), hidden] = False
    return mask


class Tracker(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.inp = nn.Linear(4, dim)
        self.mid = nn.Linear(dim, dim)
        self.out = nn.Linear(dim, 2 * 4)

    def forward(self, boxes):
        h = shift_channels(F.relu(self.inp(boxes)), 4)
        h = self.mid(h) + h
        mean, logvar = self.out(h).chunk(2, dim=-1)
        return mean, logvar.clamp(-6, 3)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tracker().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(6):
        boxes = clip_boxes(torch.rand(8, 5, 4, device=device) * 40 - 4, (32, 32)) / 32
        keep = visibility(8, 5, torch.randint(0, 5, (8,), device=device))
        mean, logvar = model(boxes * keep[..., None])
        nll = 0.5 * (logvar + (boxes - mean) ** 2 / logvar.exp())
        loss = nll.mean(-1)[~keep].mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print(f"{loss.item():.4f}")


if __name__ == "__main__":
    main()
