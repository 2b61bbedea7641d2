import torch

from detr import MiniDETR
from matcher import SetCriterion

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def targets(n):
    out = []
    for _ in range(n):
        k = int(torch.randint(1, 4, (1,)))
        out.append({"labels": torch.randint(3, (k,)), "boxes": torch.rand(k, 4) * 0.5 + 0.25})
    return out


def to_device(ts):
    return [{k: v.to(device) for k, v in t.items()} for t in ts]


def main():
    model = MiniDETR(3).to(device)
    criterion = SetCriterion(3, no_object=0.1).to(device)
    opt = torch.optim.AdamW([
        {"params": [p for n, p in model.named_parameters() if not n.startswith("backbone")]},
        {"params": [p for n, p in model.named_parameters() if n.startswith("backbone")], "lr": 1e-4},
    ], lr=1e-3)
    weights = {"ce": 1.0, "box": 5.0}
    for step in range(4):
        images, ts = torch.rand(2, 3, 16, 16).to(device), to_device(targets(2))
        losses = criterion(model(images), ts)
        total = sum(weights[k] * v for k, v in losses.items() if k in weights)
        opt.zero_grad()
        total.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        opt.step()
    print({k: round(float(v.detach()), 3) for k, v in losses.items()})


if __name__ == "__main__":
    main()
