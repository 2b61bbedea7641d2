import torch
import torch.nn as nn
from torch.utils.data import DataLoader

from data import PairDataset


class CLS(nn.Module):
    def __init__(self, vocab=64, d=32):
        super().__init__()
        self.embed = nn.Embedding(vocab, d, padding_idx=0)
        self.attn = nn.MultiheadAttention(d, 4, batch_first=True)
        self.fc = nn.Linear(d, 2)

    def forward(self, input_ids, attention_mask):
        x = self.embed(input_ids)
        x, _ = self.attn(x, x, x, key_padding_mask=attention_mask == 0, need_weights=False)
        m = attention_mask.unsqueeze(-1)
        return self.fc((x * m).sum(1) / m.sum(1))


def loop(model, loader, device, optimizer=None):
    training = optimizer is not None
    model.train(training)
    hits = n = 0
    criterion = nn.CrossEntropyLoss()
    with torch.set_grad_enabled(training):
        for batch in loader:
            inputs = {k: v.to(device) for k, v in batch["inputs"].items()}
            label = batch["label"].to(device)
            logits = model(**inputs)
            if training:
                optimizer.zero_grad()
                criterion(logits, label).backward()
                optimizer.step()
            hits += (logits.argmax(-1) == label).sum().item()
            n += len(label)
    return hits / n


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CLS().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    train, dev = (DataLoader(PairDataset(n), batch_size=8, shuffle=s) for n, s in ((32, True), (16, False)))
    for epoch in range(2):
        a = loop(model, train, device, optimizer)
        b = loop(model, dev, device)
        print(f"epoch {epoch}: train {a:.2f} dev {b:.2f}")


if __name__ == "__main__":
    main()
