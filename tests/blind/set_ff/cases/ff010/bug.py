import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class Utterances(Dataset):
    def __init__(self, n=24, mels=20, words=5):
        g = torch.Generator().manual_seed(3)
        self.items = []
        for _ in range(n):
            frames = int(torch.randint(10, 30, (1,), generator=g))
            self.items.append((torch.randn(frames, mels, generator=g), int(torch.randint(0, words, (1,), generator=g))))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(rows):
    feats, words = zip(*rows)
    lengths = torch.tensor([f.size(0) for f in feats])
    return pad_sequence(feats, batch_first=True), lengths, torch.tensor(words)


class SpeechEncoder(nn.Module):
    def __init__(self, mels, hidden):
        super().__init__()
        self.norm = nn.LayerNorm(mels)
        self.rnn = nn.GRU(mels, hidden, batch_first=True, bidirectional=True)

    def forward(self, feats, lengths):
        packed = pack_padded_sequence(self.norm(feats), lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.rnn(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        return out


class KeywordSpotter(nn.Module):
    def __init__(self, mels=20, hidden=24, words=5):
        super().__init__()
        self.encoder = SpeechEncoder(mels, hidden)
        self.score = nn.Linear(2 * hidden, 1)
        self.out = nn.Linear(2 * hidden, words)

    def forward(self, feats, lengths):
        h = self.encoder(feats, lengths)
        steps = torch.arange(h.size(1), device=h.device)
        valid = steps[None, :] < lengths.to(h.device)[:, None]
        weights = self.score(h).squeeze(-1).masked_fill(~valid, -1e4).softmax(1)
        return self.out((weights.unsqueeze(-1) * h).sum(1))


class Runner:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = KeywordSpotter().to(self.device)
        self.opt = torch.optim.Adam(self.model.parameters(), lr=1e-3)
        self.loss = nn.CrossEntropyLoss(label_smoothing=0.1)

    def to_device(self, batch):
        return [t.to(self.device, non_blocking=True) for t in batch]

    def epoch(self, loader):
        self.model.train()
        total, seen = 0.0, 0
        for batch in loader:
            feats, lengths, words = self.to_device(batch)
            loss = self.loss(self.model(feats, lengths), words)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            total += loss.item() * words.size(0)
            seen += words.size(0)
        return total / seen


if __name__ == "__main__":
    runner = Runner()
    loader = DataLoader(Utterances(), batch_size=6, shuffle=True, collate_fn=collate)
    for e in range(2):
        print(e, runner.epoch(loader))
