import random
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

random.seed(1)


class Lines(Dataset):
    def __init__(self, n):
        self.items = [(torch.randn(random.randint(20, 30), 12), torch.randint(1, 9, (random.randint(2, 5),))) for _ in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(items):
    xs, ys = zip(*items)
    return {
        "x": pad_sequence(xs, batch_first=True),
        "x_len": torch.tensor([len(x) for x in xs]),
        "y": torch.cat(ys),
        "y_len": torch.tensor([len(y) for y in ys]),
    }


class Recogniser(nn.Module):
    def __init__(self, classes=9):
        super().__init__()
        self.rnn = nn.LSTM(12, 16, batch_first=True, bidirectional=True)
        self.fc = nn.Linear(32, classes)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(x, lengths.cpu(), batch_first=True, enforce_sorted=False)
        h, lens = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.fc(h).log_softmax(-1), lens


def greedy(logp, lens):
    out = []
    for seq, n in zip(logp.argmax(-1).tolist(), lens.tolist()):
        seq = seq[:n]
        out.append([c for i, c in enumerate(seq) if c and (i == 0 or c != seq[i - 1])])
    return out


device = "cuda" if torch.cuda.is_available() else "cpu"
model = Recogniser().to(device)
ctc = nn.CTCLoss(zero_infinity=True)
optim = torch.optim.RMSprop(model.parameters(), lr=1e-3)
for batch in DataLoader(Lines(12), batch_size=4, collate_fn=collate):
    logp, lens = model(batch["x"].to(device), batch["x_len"])
    loss = ctc(logp.transpose(0, 1), batch["y"].to(device), tuple(lens.tolist()), tuple(batch["y_len"].tolist()))
    optim.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(model.parameters(), 1.0)
    optim.step()
    print(loss.item(), greedy(logp, lens)[0])
