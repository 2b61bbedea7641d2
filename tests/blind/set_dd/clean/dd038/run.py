import torch
from torch import nn

from export import check, from_bytes, host_copy, to_bytes
from net import Wide


def main(rounds=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Wide()
    model.to(device)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    loss_fn = nn.CrossEntropyLoss()
    example = torch.randn(2, 10)
    snapshots = []
    for r in range(rounds):
        model.train()
        for _ in range(4):
            x, y = torch.randn(16, 10, device=device), torch.randint(0, 3, (16,), device=device)
            opt.zero_grad()
            loss_fn(model(x), y).backward()
            opt.step()
        cpu_model = host_copy(model)
        if check(cpu_model, example):
            snapshots.append(to_bytes(cpu_model))
        print(r, next(model.parameters()).device, next(cpu_model.parameters()).device)
    served = from_bytes(snapshots[-1], Wide(), device).eval()
    with torch.no_grad():
        print(served(example.to(device)).argmax(1).tolist())


if __name__ == "__main__":
    main()
