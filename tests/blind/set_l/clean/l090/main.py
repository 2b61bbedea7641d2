import math

import torch
import torch.nn as nn

from crf import CRF


def sinusoid(n, dim, device):
    pos = torch.arange(n, device=device, dtype=torch.float).unsqueeze(1)
    freq = torch.exp(torch.arange(0, dim, 2, device=device) * (-math.log(1e4) / dim))
    return torch.cat([(pos * freq).sin(), (pos * freq).cos()], 1)


class Tagger(nn.Module):
    def __init__(self, vocab=30, tags=4, dim=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.mix = nn.Conv1d(dim, dim, 3, padding=1)
        self.emit = nn.Linear(dim, tags)
        self.crf = CRF(tags)

    def forward(self, ids):
        x = self.embed(ids)
        x = x + sinusoid(x.size(1), x.size(2), x.device)
        return self.emit(torch.relu(self.mix(x.transpose(1, 2))).transpose(1, 2))


def batch(n=8, vocab=30):
    lengths = torch.randint(3, 10, (n,))
    keep = torch.arange(int(lengths.max())) < lengths.unsqueeze(1)
    ids = torch.randint(1, vocab, keep.shape) * keep
    return ids, ids % 4, keep, lengths.tolist()


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for step in range(5):
        ids, tags, mask, lengths = batch()
        ids, tags, mask = (t.to(device) for t in (ids, tags, mask))
        loss = model.crf(model(ids), tags, mask)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())
    with torch.no_grad():
        print(model.crf.decode(model(ids), lengths)[0])


if __name__ == "__main__":
    main()
