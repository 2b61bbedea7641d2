import torch
import torch.nn as nn
import torch.nn.functional as F

from state import cut, fresh


class CharModel(nn.Module):
    def __init__(self, vocab=16, hidden=24):
        super().__init__()
        self.emb = nn.Embedding(vocab, hidden)
        self.rnn = nn.LSTM(hidden, hidden, num_layers=1, batch_first=True)
        self.out = nn.Linear(hidden, vocab)

    def forward(self, ids, state):
        h, state = self.rnn(self.emb(ids), state)
        return self.out(h), state


def chunks(stream, width):
    for lo in range(0, stream.shape[1] - width, width):
        yield stream[:, lo:lo + width], stream[:, lo + 1:lo + width + 1]


def epoch(model, optimizer, stream, device, width=8):
    state = fresh(model, stream.shape[0])
    total = 0.0
    for x, y in chunks(stream, width):
        x, y = x.to(device), y.to(device)
        logits, state = model(x, cut(state))
        loss = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), y.reshape(-1))
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        total += loss.item()
    return total


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = CharModel().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    stream = (torch.arange(50)[None] + torch.arange(4)[:, None]) % 16
    for e in range(2):
        print(e, round(epoch(model, optimizer, stream, device), 3))


if __name__ == "__main__":
    main()
