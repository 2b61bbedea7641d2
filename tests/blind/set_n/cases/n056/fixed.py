import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class QA(Dataset):
    def __init__(self, n=10, length=12):
        self.n, self.length = n, length

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        ids = torch.randint(1, 40, (self.length,))
        return {"ids": ids, "mask": torch.ones(self.length, dtype=torch.bool)}, torch.tensor([2, 5])


class SpanHead(nn.Module):
    def __init__(self, vocab=40, dim=16):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.mix = nn.GRU(dim, dim, batch_first=True, bidirectional=True)
        self.span = nn.Linear(2 * dim, 2)

    def forward(self, ids, mask):
        h, _ = self.mix(self.emb(ids))
        logits = self.span(h).masked_fill(~mask.unsqueeze(-1), -1e4)
        return logits.unbind(-1)


def train(model, loader, device, epochs=1):
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    ce = nn.CrossEntropyLoss()
    for _ in range(epochs):
        for inputs, span in loader:
            inputs, span = {k: v.to(device) for k, v in inputs.items()}, span.to(device)
            start, end = model(**inputs)
            loss = ce(start, span[:, 0]) + ce(end, span[:, 1])
            opt.zero_grad()
            loss.backward()
            opt.step()


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
train(SpanHead().to(device), DataLoader(QA(), batch_size=5), device)
