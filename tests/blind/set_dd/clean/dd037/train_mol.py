import torch
import torch.nn.functional as F

from gin import GIN
from molgraph import MolBatch


def molecule():
    n = int(torch.randint(3, 9, ()))
    return torch.randint(0, 5, (n,)), torch.randint(0, n, (2, 2 * n)), torch.randn(())


def loader(batches, size=8):
    for _ in range(batches):
        yield MolBatch.from_list([molecule() for _ in range(size)])


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = GIN()
model.to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)

for epoch in range(2):
    model.train()
    seen = total = 0
    for g in loader(3):
        g.to(device)
        loss = F.l1_loss(model(g), g.y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * g.num_graphs
        seen += g.num_graphs
    print(f"epoch {epoch}: MAE {total / seen:.3f}")
