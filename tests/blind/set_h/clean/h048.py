import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence


class SentenceEncoder(nn.Module):
    def __init__(self, vocab=60, dim=16, classes=3):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.rnn = nn.LSTM(dim, dim)
        self.query = nn.Parameter(torch.randn(dim) * 0.1)
        self.out = nn.Linear(dim, classes)

    def forward(self, sentences):
        device = self.query.device
        lengths = torch.tensor([len(s) for s in sentences])
        order = lengths.argsort(descending=True)
        width = int(lengths.max())
        with torch.device(device):
            ids = torch.zeros(width, len(sentences), dtype=torch.long)
            steps = torch.arange(width)
        for col, s in enumerate(sentences):
            ids[:len(s), col] = torch.tensor(s)
        packed = pack_padded_sequence(self.emb(ids), lengths, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.rnn(packed)[0], total_length=width)
        score = h @ self.query
        score = score.masked_fill(steps[:, None] >= lengths.to(device), float("-inf"))
        pooled = (score.softmax(0).unsqueeze(-1) * h).sum(0)
        scale = torch.tensor(2.0)
        return self.out(pooled * scale), order


def make(n):
    g = torch.Generator().manual_seed(n)
    lengths = torch.randint(2, 9, (n,), generator=g).tolist()
    return [torch.randint(1, 60, (k,), generator=g).tolist() for k in lengths]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SentenceEncoder().to(device)
    opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
    smooth = torch.full_like(model.out.weight[:, 0].detach(), 0.01)
    for step in range(6):
        sentences = make(8 + step)
        labels = torch.tensor([sum(s) % 3 for s in sentences])
        logits, order = model(sentences)
        target = F.one_hot(labels, 3).to(logits) + smooth
        loss = -(target * logits.log_softmax(1)).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    hardest = logits.detach()[order[:2]]
    print(loss.item(), hardest.shape)


if __name__ == "__main__":
    main()
