import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

from sampler import LengthBucketSampler


class Names(Dataset):
    def __init__(self, n=50):
        self.seqs = [torch.randint(1, 27, (int(k),)) for k in torch.randint(3, 10, (n,))]

    def __len__(self):
        return len(self.seqs)

    def __getitem__(self, i):
        return self.seqs[i], int(self.seqs[i][0] > 13)


def collate(rows):
    seqs, y = zip(*rows)
    return pad_sequence(seqs, batch_first=True), torch.tensor([len(s) for s in seqs]), torch.tensor(y)


class NameNet(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.embed = nn.Embedding(27, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.fc = nn.Linear(dim, 2)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=False)
        _, h = self.rnn(packed)
        return self.fc(h[-1])


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = Names()
    sampler = LengthBucketSampler([len(s) for s in data.seqs], 10)
    loader = DataLoader(data, batch_sampler=sampler, collate_fn=collate)
    model = NameNet().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for ids, lengths, y in loader:
        loss = F.cross_entropy(model(ids.to(device), lengths), y.to(device))
        opt.zero_grad()
        loss.backward()
        opt.step()
    print(loss.item())


if __name__ == "__main__":
    main()
