import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

from memory import MemoryBank


class Indexed(Dataset):
    def __init__(self, n, d):
        self.x = torch.randn(n, d)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return i, self.x[i]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
data = Indexed(48, 12)
encoder = nn.Linear(12, 8).to(device)
memory = MemoryBank(len(data), 8).to(device)
opt = torch.optim.SGD(encoder.parameters(), lr=0.1)
for epoch in range(2):
    for idx, x in DataLoader(data, batch_size=16, shuffle=True):
        z = F.normalize(encoder(x.to(device)), dim=1)
        loss = F.cross_entropy(memory(z), idx.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
        memory.update(idx, z.detach())
    print(epoch, loss.item(), memory.coverage())
