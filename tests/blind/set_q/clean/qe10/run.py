import torch
import torch.nn as nn

from regularizers import EWC, GEM, Reservoir

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def make_task(seed, n=120):
    g = torch.Generator().manual_seed(seed)
    w = torch.randn(8, generator=g)
    x = torch.randn(n, 8, generator=g)
    return torch.utils.data.TensorDataset(x, (x @ w > 0).long())


def accuracy(model, ds):
    model.eval()
    with torch.no_grad():
        x, y = (t.to(device) for t in ds.tensors)
        acc = (model(x).argmax(1) == y).float().mean().item()
    model.train()
    return acc


def main():
    tasks = [make_task(s) for s in range(3)]
    model = nn.Sequential(nn.Linear(8, 24), nn.ReLU(), nn.Linear(24, 2)).to(device)
    ewc, gem, memory = EWC(model, 50.0), GEM(model), Reservoir(40)
    ce = nn.CrossEntropyLoss()
    for k, ds in enumerate(tasks):
        opt = torch.optim.SGD(model.parameters(), lr=0.1)
        for x, y in torch.utils.data.DataLoader(ds, batch_size=20, shuffle=True):
            bx, by = x.to(device), y.to(device)
            reference = None
            if len(memory):
                mx, my = memory.draw(20)
                model.zero_grad()
                ce(model(mx.to(device)), my.to(device)).backward()
                reference = gem.snapshot()
            opt.zero_grad()
            loss = ce(model(bx), by) + ewc.penalty()
            loss.backward()
            if reference is not None:
                gem.project(reference)
            opt.step()
            memory.add(x, y)
        ewc.consolidate(ds, ce, device)
        print(k, [round(accuracy(model, t), 2) for t in tasks[:k + 1]])


if __name__ == "__main__":
    main()
