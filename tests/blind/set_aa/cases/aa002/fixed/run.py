import torch
from torch.utils.data import DataLoader, TensorDataset

from segm.engine import Engine
from segm.model import UNetSmall


def make_loader(n, shuffle):
    images = torch.randn(n, 1, 16, 16)
    masks = torch.randint(0, 4, (n, 16, 16))
    return DataLoader(TensorDataset(images, masks), batch_size=4, shuffle=shuffle)


device = "cuda" if torch.cuda.is_available() else "cpu"
net = UNetSmall().to(device)
engine = Engine(net, torch.optim.Adam(net.parameters(), lr=1e-3), device)
engine.fit(make_loader(12, True), make_loader(8, False), epochs=2)
for i, row in enumerate(engine.history):
    print(i, row)
