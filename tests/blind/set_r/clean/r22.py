import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence
from torch.utils.data import DataLoader, Dataset

HAS_GPU = torch.cuda.is_available()
device = torch.device("cuda" if HAS_GPU else "cpu")


class Series(Dataset):
    def __init__(self, n, seed):
        g = torch.Generator().manual_seed(seed)
        self.lengths = torch.randint(3, 9, (n,), generator=g)
        self.values = torch.randn(n, 9, 2, generator=g)

    def __len__(self):
        return self.lengths.numel()

    def __getitem__(self, i):
        return self.values[i], self.lengths[i]


class Forecaster(nn.Module):
    def __init__(self, hidden=8):
        super().__init__()
        self.rnn = nn.GRU(2, hidden, batch_first=True)
        self.out = nn.Linear(hidden, 2)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.tolist(), batch_first=True, enforce_sorted=False)
        h, kept = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        valid = torch.arange(h.size(1), device=h.device) < kept.to(h.device)[:, None]
        return self.out(h), valid


model = Forecaster().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
shuffler = torch.Generator().manual_seed(5)
loader = DataLoader(Series(48, 0), batch_size=12, shuffle=True, generator=shuffler, pin_memory=False)
for values, lengths in loader:
    values, lengths = values.to(device), lengths.to(device)
    predicted, valid = model(values, lengths)
    wanted = values[:, : predicted.size(1)]
    error = (predicted[:, :-1] - wanted[:, 1:]).pow(2).mean(-1)
    loss = error[valid[:, 1:]].mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    order = torch.randperm(len(values), generator=shuffler)
    print(loss.item(), values[order][:1].mean().item())
