import torch
import torch.nn as nn

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


def repackage(h):
    return h.detach() if isinstance(h, torch.Tensor) else tuple(repackage(v) for v in h)


class LM(nn.Module):
    def __init__(self, vocab=30, hidden=24):
        super().__init__()
        self.emb, self.rnn, self.out = nn.Embedding(vocab, hidden), nn.LSTM(hidden, hidden), nn.Linear(hidden, vocab)
        self.out.weight = self.emb.weight

    def forward(self, x, h=None):
        y, h = self.rnn(self.emb(x), h)
        return self.out(y), h


corpus = torch.randint(0, 30, (65, 4)).to(device)
model = LM().to(device)
opt = torch.optim.SGD(model.parameters(), lr=0.5)
criterion = nn.CrossEntropyLoss()
for epoch in range(2):
    model.train()
    hidden, total = None, 0.0
    for i in range(0, 64, 16):
        if hidden is not None:
            hidden = repackage(hidden)
        logits, hidden = model(corpus[i : i + 16], hidden)
        loss = criterion(logits.view(-1, 30), corpus[i + 1 : i + 17].reshape(-1))
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 0.25)
        opt.step()
        total += loss.item()
    print(epoch, total / 4)
