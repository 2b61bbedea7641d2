import torch
import torch.nn as nn

from crf import CRF
from data import batches

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Tagger(nn.Module):
    def __init__(self, vocab=25, tags=3, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.fc = nn.Linear(dim, tags)
        self.crf = CRF(tags)

    def emissions(self, ids):
        return self.fc(torch.relu(self.conv(self.emb(ids).transpose(1, 2)).transpose(1, 2)))

    def loss(self, ids, tags, mask):
        return -self.crf(self.emissions(ids), tags, mask).mean()

    def decode(self, ids, mask):
        return self.crf.viterbi(self.emissions(ids), mask)


model = Tagger().to(device)
opt = torch.optim.Adam(model.parameters(), lr=2e-2)
for epoch in range(3):
    model.train()
    for ids, tags, mask in batches(6):
        model.zero_grad()
        loss = model.loss(ids.to(device), tags.to(device), mask.to(device))
        loss.backward()
        opt.step()
model.eval()
with torch.no_grad():
    right = total = 0
    for ids, tags, mask in batches(2):
        paths = model.decode(ids.to(device), mask.to(device))
        for p, t, m in zip(paths, tags, mask):
            gold = t[m].tolist()
            right += sum(a == b for a, b in zip(p, gold))
            total += len(gold)
print(loss.item(), right / total)
