import torch
import torch.nn as nn

from snapshot import export_copy, save_from_host


def batches(n, device):
    for _ in range(n):
        x = torch.randn(16, 5, device=device)
        yield x, x.pow(2).sum(1, keepdim=True)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = nn.Sequential(nn.Linear(5, 32), nn.SiLU(), nn.Linear(32, 1)).to(device)
    opt = torch.optim.SGD(model.parameters(), lr=1e-3)
    probe = torch.randn(4, 5)
    for epoch in range(3):
        model.train()
        for x, y in batches(6, device):
            loss = nn.functional.mse_loss(model(x), y)
            opt.zero_grad()
            loss.backward()
            opt.step()
        frozen = export_copy(model)
        with torch.no_grad():
            host = frozen(probe).mean()
            live = model(probe.to(device)).mean()
        print(epoch, host.item(), live.item())
    blob = save_from_host(model, device)
    print("saved", blob.getbuffer().nbytes, "bytes")
    with torch.no_grad():
        print(model(probe.to(device)).squeeze(1).tolist())


if __name__ == "__main__":
    main()
