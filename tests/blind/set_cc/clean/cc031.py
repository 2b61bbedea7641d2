import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
torch.manual_seed(0)


def collate(items):
    sequences, labels = zip(*items)
    lengths = torch.tensor([len(s) for s in sequences])
    return pad_sequence(sequences, batch_first=True), lengths, torch.tensor(labels)


class CharTagger(nn.Module):
    def __init__(self, vocab=30, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * dim, 1)

    def forward(self, ids, lengths):
        packed = pack_padded_sequence(self.embed(ids), lengths, batch_first=True, enforce_sorted=False)
        _, last = self.rnn(packed)
        return self.out(torch.cat([last[0], last[1]], dim=-1)).squeeze(-1)


data = []
for n in torch.randint(4, 12, (64,)).tolist():
    ids = torch.randint(1, 30, (n,))
    data.append((ids, float((ids == 7).any())))
loader = DataLoader(data, batch_size=16, shuffle=True, collate_fn=collate)

model = CharTagger().to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
criterion = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(2.0, device=device))
for epoch in range(2):
    total = 0.0
    for ids, lengths, labels in loader:
        logits = model(ids.to(device), lengths)
        loss = criterion(logits, labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(labels)
    print(f"epoch {epoch} {total / len(data):.4f}")
