import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class Sentences(Dataset):
    def __init__(self, n=60, vocab=30):
        g = torch.Generator().manual_seed(5)
        self.rows = [torch.randint(1, vocab, (int(torch.randint(3, 12, (1,), generator=g)),), generator=g) for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        r = self.rows[i]
        return r, r % 4


def collate(items):
    words, tags = zip(*items)
    lengths = torch.tensor([len(w) for w in words])
    return pad_sequence(words, batch_first=True), pad_sequence(tags, batch_first=True, padding_value=-100), lengths


class Tagger(nn.Module):
    def __init__(self, vocab=30, dim=16, tags=4):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * dim, tags)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        h, _ = self.lstm(packed)
        h, _ = pad_packed_sequence(h, batch_first=True, total_length=ids.size(1))
        mask = torch.arange(ids.size(1), device=ids.device)[None] < lengths.to(ids.device)[:, None]
        return self.out(h), mask


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    loader = DataLoader(Sentences(), batch_size=12, collate_fn=collate, shuffle=True)
    for epoch in range(3):
        hits, count = 0, 0
        for ids, tags, lengths in loader:
            ids, tags = ids.to(device), tags.to(device)
            logits, mask = model(ids, lengths)
            loss = F.cross_entropy(logits.transpose(1, 2), tags, ignore_index=-100)
            opt.zero_grad()
            loss.backward()
            opt.step()
            hits = hits + ((logits.argmax(-1) == tags) & mask).sum()
            count += int(lengths.sum())
        print(epoch, (hits / count).item())


if __name__ == "__main__":
    main()
