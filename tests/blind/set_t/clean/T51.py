import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence
from torch.utils.data import DataLoader, Dataset


class Utterances(Dataset):
    def __init__(self, n=24, feats=13, words=12):
        self.audio = [torch.randn(int(t), feats) for t in torch.randint(20, 40, (n,))]
        self.text = [torch.randint(1, words, (int(k),)) for k in torch.randint(2, 6, (n,))]

    def __len__(self):
        return len(self.audio)

    def __getitem__(self, i):
        return self.audio[i], self.text[i]


def collate(items):
    audio, text = zip(*items)
    lengths = torch.tensor([len(a) for a in audio])
    target_lengths = torch.tensor([len(t) for t in text])
    return pad_sequence(audio, batch_first=True), lengths, torch.cat(text), target_lengths


class Recogniser(nn.Module):
    def __init__(self, feats=13, hidden=24, words=12):
        super().__init__()
        self.rnn = nn.LSTM(feats, hidden, batch_first=True, bidirectional=True)
        self.head = nn.Linear(2 * hidden, words)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.rnn(packed)
        out, out_lengths = pad_packed_sequence(out, batch_first=True)
        return self.head(out).log_softmax(-1), out_lengths


def edit_distance(a, b):
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        prev, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            prev, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, prev + (x != y))
    return row[-1]


@torch.no_grad()
def greedy(model, loader, device):
    model.eval()
    errors = total = 0
    for x, lengths, text, target_lengths in loader:
        logp, out_lengths = model(x.to(device), lengths)
        best = logp.argmax(-1).cpu()
        for ids, n, ref in zip(best, out_lengths, text.split(target_lengths.tolist())):
            hyp = [k for k in torch.unique_consecutive(ids[:n]).tolist() if k]
            errors += edit_distance(hyp, ref.tolist())
            total += len(ref)
    return errors / total


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Utterances(), batch_size=8, collate_fn=collate)
    model = Recogniser().to(device)
    ctc = nn.CTCLoss(zero_infinity=True)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for epoch in range(2):
        model.train()
        for x, lengths, text, target_lengths in loader:
            logp, out_lengths = model(x.to(device), lengths)
            loss = ctc(logp.transpose(0, 1).cpu(), text, out_lengths, target_lengths)
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 5.0)
            optimizer.step()
        print(epoch, greedy(model, loader, device))


if __name__ == "__main__":
    main()
