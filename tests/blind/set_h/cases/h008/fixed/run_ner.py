import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader

from utils import seed_everything, to_device

PAD, IGNORE = 0, -100


def corpus(n=40):
    for i in range(n):
        length = 4 + i % 5
        ids = torch.randint(1, 50, (length,))
        yield {"words": ids, "shapes": ids % 7, "tags": ids % 4, "key": f"doc-{i}"}


def collate(items):
    words = pad_sequence([i["words"] for i in items], batch_first=True, padding_value=PAD)
    shapes = pad_sequence([i["shapes"] for i in items], batch_first=True, padding_value=PAD)
    tags = pad_sequence([i["tags"] for i in items], batch_first=True, padding_value=IGNORE)
    return {"inputs": (words, shapes), "tags": tags, "keys": [i["key"] for i in items]}


class Tagger(nn.Module):
    def __init__(self, dim=24, tags=4):
        super().__init__()
        self.word = nn.Embedding(50, dim, padding_idx=PAD)
        self.shape = nn.Embedding(7, 8)
        self.lstm = nn.LSTM(dim + 8, dim, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * dim, tags)

    def forward(self, words, shapes):
        x = torch.cat([self.word(words), self.shape(shapes)], dim=-1)
        return self.out(self.lstm(x)[0])


def main():
    seed_everything(1)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(list(corpus()), batch_size=8, shuffle=True, collate_fn=collate)
    model = Tagger().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    criterion = nn.CrossEntropyLoss(ignore_index=IGNORE)
    for epoch in range(2):
        for batch in loader:
            batch = to_device(batch, device)
            logits = model(*batch["inputs"])
            loss = criterion(logits.flatten(0, 1), batch["tags"].flatten())
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
        print(f"epoch {epoch} loss {loss.item():.3f}")


if __name__ == "__main__":
    main()
