import torch
import torch.nn.functional as F

from heads import MultiTask

TASKS = {"age": "regression", "income": "regression", "group": "classification"}


def task_loss(kind, out, target):
    if kind == "regression":
        return F.mse_loss(out.squeeze(-1), target)
    return F.cross_entropy(out, target)


def synthetic(device, n=16):
    x = torch.randn(n, 8, device=device)
    return x, {"age": x[:, 0], "income": x[:, 1] * 2, "group": (x[:, 2] > 0).long() + 1}


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MultiTask(TASKS).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(3):
        x, targets = synthetic(device)
        outputs = model(x)
        losses = {n: task_loss(TASKS[n], outputs[n], targets[n]) for n in TASKS}
        loss = sum(losses.values())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(step, {n: round(v.item(), 3) for n, v in losses.items()})


if __name__ == "__main__":
    main()
