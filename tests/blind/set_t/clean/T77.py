import re
from collections import Counter
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import DataLoader

TEXT = """the cat sat on the mat . the dog sat on the log . a cat and a dog met on the road .
the log was on the road and the mat was in the house . the dog ran to the house ."""


class BPE:
    def __init__(self, merges=30):
        self.merges, self.ranks = merges, {}
        self.vocab = {"<pad>": 0, "<bos>": 1}

    def fit(self, text):
        words = Counter(tuple(w) + ("_",) for w in re.findall(r"\S+", text))
        for rank in range(self.merges):
            pairs = Counter()
            for w, n in words.items():
                pairs.update({p: n for p in zip(w, w[1:])})
            if not pairs:
                break
            best = max(pairs, key=lambda p: (pairs[p], p))
            self.ranks[best] = rank
            words = Counter({self.join(w, best): n for w, n in words.items()})
        symbols = set(text.replace("\n", "")) | {"_"} | {a + b for a, b in self.ranks}
        for s in sorted(symbols):
            self.vocab.setdefault(s, len(self.vocab))
        return self

    @staticmethod
    def join(word, pair):
        out, i = [], 0
        while i < len(word):
            if word[i : i + 2] == pair:
                out.append(word[i] + word[i + 1])
                i += 2
            else:
                out.append(word[i])
                i += 1
        return tuple(out)

    def encode(self, text):
        ids = [self.vocab["<bos>"]]
        for w in re.findall(r"\S+", text):
            w = tuple(w) + ("_",)
            while True:
                known = [p for p in zip(w, w[1:]) if p in self.ranks]
                if not known:
                    break
                w = self.join(w, min(known, key=self.ranks.get))
            ids += [self.vocab[s] for s in w]
        return torch.tensor(ids)


def collate(seqs):
    length = max(map(len, seqs))
    batch = torch.zeros(len(seqs), length, dtype=torch.long)
    for row, s in zip(batch, seqs):
        row[: len(s)] = s
    return batch


class GRULM(nn.Module):
    def __init__(self, vocab, dim=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.GRU(dim, dim, batch_first=True)
        self.out = nn.Linear(dim, vocab, bias=False)
        self.out.weight = self.emb.weight

    def forward(self, ids):
        return self.out(self.rnn(self.emb(ids))[0])


if __name__ == "__main__":
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    bpe = BPE().fit(TEXT)
    sentences = [bpe.encode(s) for s in TEXT.split(".") if s.strip()]
    loader = DataLoader(sentences, batch_size=2, shuffle=True, collate_fn=collate)
    model = GRULM(len(bpe.vocab)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for epoch in range(3):
        nll = tokens = 0
        for ids in loader:
            ids = ids.to(device)
            target = ids[:, 1:]
            loss = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), target, ignore_index=0, reduction="sum")
            count = (target != 0).sum()
            optimizer.zero_grad()
            (loss / count).backward()
            optimizer.step()
            nll += loss.item()
            tokens += count.item()
        print(epoch, nll / tokens)
