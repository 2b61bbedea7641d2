import torch
import torch.nn as nn
import torch.nn.functional as F

from observers import MovingRange, prepare

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def qat(model, x, y, steps):
    opt = torch.optim.Adam(model.parameters(), lr=5e-3)
    model.train()
    for step in range(steps):
        if step == steps // 2:
            for m in model.modules():
                if isinstance(m, MovingRange):
                    m.observing.fill_(False)
        loss = F.cross_entropy(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


@torch.no_grad()
def export(model):
    out = {}
    for name, m in model.named_modules():
        if isinstance(m, nn.Linear):
            scale = m.weight.abs().amax(1, keepdim=True) / 127
            q = torch.clamp((m.weight / scale).round(), -127, 127).to(torch.int8)
            out[name] = (q.cpu().numpy(), scale.cpu().numpy())
    return out


if __name__ == "__main__":
    net = nn.Sequential(nn.Linear(8, 32), nn.ReLU(), nn.Linear(32, 3))
    net = prepare(net).to(device)
    x = torch.randn(90, 8).to(device)
    y = x[:, :3].argmax(1)
    print(qat(net, x, y, 20), {k: v[0].dtype for k, v in export(net).items()})
