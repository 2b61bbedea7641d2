"""Question answering over pairs, batches as dictionaries."""
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Pairs(Dataset):
    def __init__(self, n=12, vocab=20):
        self.q = torch.randint(0, vocab, (n, 5))
        self.c = torch.randint(0, vocab, (n, 9))
        self.y = torch.randint(0, 9, (n,))

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"question": self.q[i], "context": self.c[i], "start": self.y[i]}


class Reader(nn.Module):
    def __init__(self, vocab=20, d=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, d)
        self.enc = nn.GRU(d, d, batch_first=True)

    def forward(self, question, context):
        _, q = self.enc(self.emb(question))
        c, _ = self.enc(self.emb(context))
        return torch.einsum("bd,bld->bl", q[-1], c)


def fit(model, loader, device):
    model.to(device).train()
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for batch in loader:
        batch = {k: v.to(device) for k, v in batch.items()}
        target = batch.pop("start")
        loss = nn.functional.cross_entropy(model(**batch), target)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    print(fit(Reader(), DataLoader(Pairs(), batch_size=4, shuffle=True), torch.device("cuda" if torch.cuda.is_available() else "cpu")))
