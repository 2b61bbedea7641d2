import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader


def to_device(batch, device):
    if torch.is_tensor(batch):
        return batch.to(device)
    if isinstance(batch, dict):
        return {k: to_device(v, device) for k, v in batch.items()}
    return [to_device(b, device) for b in batch]


class Tagger(nn.Module):
    def __init__(self, vocab=50, tags=5, hidden=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden, padding_idx=0)
        self.lstm = nn.LSTM(hidden, hidden, bidirectional=True, batch_first=True)
        self.fc = nn.Linear(2 * hidden, tags)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.emb(ids), lengths, batch_first=True, enforce_sorted=False)
        out, _ = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        return self.fc(out)


def collate(samples):
    words, tags = zip(*samples)
    return {
        "ids": pad_sequence(words, batch_first=True),
        "tags": pad_sequence(tags, batch_first=True, padding_value=-100),
        "lengths": torch.tensor([len(w) for w in words]),
    }


def corpus(n=40):
    for _ in range(n):
        k = int(torch.randint(2, 9, ()))
        yield torch.randint(1, 50, (k,)), torch.randint(0, 5, (k,))


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
loader = DataLoader(list(corpus()), batch_size=8, shuffle=True, collate_fn=collate)
model = Tagger().to(device)
loss_fn = nn.CrossEntropyLoss(ignore_index=-100)
opt = torch.optim.Adam(model.parameters(), lr=2e-3)
for batch in loader:
    batch = to_device(batch, device)
    logits = model(batch["ids"], batch["lengths"])
    loss = loss_fn(logits.flatten(0, 1), batch["tags"].flatten())
    opt.zero_grad()
    loss.backward()
    opt.step()
print("loss", loss.item())
