import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class QA(Dataset):
    def __init__(self, n=24, seq=18, vocab=80):
        g = torch.Generator().manual_seed(0)
        self.ids = torch.randint(1, vocab, (n, seq), generator=g)
        self.keep = torch.arange(seq)[None] < torch.randint(8, seq + 1, (n, 1), generator=g)
        self.start = torch.randint(0, 4, (n,), generator=g)
        self.end = self.start + torch.randint(0, 4, (n,), generator=g)

    def __len__(self):
        return len(self.ids)

    def __getitem__(self, i):
        return {
            "input_ids": self.ids[i],
            "attention_mask": self.keep[i],
            "start": self.start[i],
            "end": self.end[i],
        }


class SpanModel(nn.Module):
    def __init__(self, vocab=80, dim=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.conv = nn.Conv1d(dim, dim, 3, padding=1)
        self.qa_outputs = nn.Linear(dim, 2)

    def forward(self, input_ids, attention_mask):
        h = self.emb(input_ids)
        h = torch.relu(self.conv(h.transpose(1, 2))).transpose(1, 2)
        logits = self.qa_outputs(h).masked_fill(~attention_mask.unsqueeze(-1), -1e4)
        return logits.unbind(-1)


def train_one_epoch(model, loader, optimizer, device):
    model.train()
    for batch in loader:
        for key in batch:
            batch[key].to(device)
        start, end = batch.pop("start"), batch.pop("end")
        s, e = model(**batch)
        loss = (nn.functional.cross_entropy(s, start) + nn.functional.cross_entropy(e, end)) / 2
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


if __name__ == "__main__":
    DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
    model = SpanModel()
    model.to(DEVICE)
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    loader = DataLoader(QA(), batch_size=8, shuffle=True)
    for epoch in range(2):
        print(epoch, train_one_epoch(model, loader, optimizer, DEVICE))
