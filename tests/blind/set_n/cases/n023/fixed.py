import torch
from torch import nn

text = "the quick brown fox jumps over the lazy dog " * 20
chars = sorted(set(text))
stoi = {c: i for i, c in enumerate(chars)}
data = torch.tensor([stoi[c] for c in text])


class CharRNN(nn.Module):
    def __init__(self, vocab, hidden=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.cell = nn.GRU(hidden, hidden, batch_first=True)
        self.head = nn.Linear(hidden, vocab)
        self.memory = None

    def reset(self):
        self.memory = None

    def forward(self, ids):
        memory = None if self.memory is None else self.memory.detach()
        out, self.memory = self.cell(self.emb(ids), memory)
        return self.head(out)


def windows(data, batch=4, span=10):
    n = len(data) // batch
    rows = data[: n * batch].view(batch, n)
    for i in range(0, n - span - 1, span):
        yield rows[:, i:i + span], rows[:, i + 1:i + span + 1]


device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
model = CharRNN(len(chars)).to(device)
optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)

for epoch in range(2):
    model.reset()
    for i, (x, y) in enumerate(windows(data)):
        x, y = x.to(device), y.to(device)
        logits = model(x)
        loss = nn.functional.cross_entropy(logits.reshape(-1, len(chars)), y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if i == 4:
            break
    print(epoch, loss.item())
