import torch
import torch.nn.functional as F
from torch.utils.data import DataLoader

from graphs import SumGNN, collate_graphs


def molecule(n):
    return {
        "x": torch.randn(n, 5),
        "edge_index": torch.randint(0, n, (2, 3 * n)),
        "temperature": torch.rand(1),
        "y": torch.randn(()),
    }


def main():
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = [molecule(n) for n in (4, 6, 5, 7, 3, 8)]
    loader = DataLoader(data, batch_size=3, collate_fn=collate_graphs)
    model = SumGNN(5).to(dev)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        for batch in loader:
            batch = batch.to(dev)
            pred = model(batch)
            loss = F.l1_loss(pred, batch.extras["y"])
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())


main()
