import torch
from torch import nn


class SequenceTagger(nn.Module):
    def __init__(self, vocab, tags, dim=32, max_len=64):
        super().__init__()
        self.words = nn.Embedding(vocab, dim)
        self.places = nn.Embedding(max_len, dim)
        layer = nn.TransformerEncoderLayer(dim, 4, 64, dropout=0.1, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2)
        self.out = nn.Linear(dim, tags)

    def embed(self, ids):
        places = torch.arange(ids.size(1), device=ids.device)
        return self.words(ids) + self.places(places)

    def forward(self, ids, padding):
        h = self.encoder(self.embed(ids), src_key_padding_mask=padding)
        return self.out(h)


def batches(count, vocab, tags, length=12, size=8):
    for _ in range(count):
        ids = torch.randint(1, vocab, (size, length))
        labels = torch.randint(0, tags, (size, length))
        lens = torch.randint(4, length + 1, (size,))
        pad = torch.arange(length)[None] >= lens[:, None]
        labels = labels.masked_fill(pad, -100)
        yield ids.masked_fill(pad, 0), pad, labels


def prepare(vocab, tags):
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    model = SequenceTagger(vocab, tags)
    model = model.to(device)
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    return model, device


def run(steps=3, vocab=100, tags=6):
    model, device = prepare(vocab, tags)
    criterion = nn.CrossEntropyLoss(ignore_index=-100)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    model.train()
    for ids, pad, labels in batches(steps, vocab, tags):
        ids, pad, labels = ids.to(device), pad.to(device), labels.to(device)
        logits = model(ids, pad)
        loss = criterion(logits.reshape(-1, tags), labels.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        print(f"{loss.item():.3f}")


if __name__ == "__main__":
    run()
