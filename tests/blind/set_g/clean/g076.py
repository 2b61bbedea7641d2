import torch
import torch.nn as nn
import torch.nn.functional as F


def repackage(state):
    """Same values without their past, for any nesting of tuples."""
    if torch.is_tensor(state):
        return state.detach()
    return tuple(repackage(s) for s in state)


class WordLM(nn.Module):
    def __init__(self, vocab=25, dim=12, layers=2):
        super().__init__()
        self.layers, self.dim = layers, dim
        self.emb = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, dim, layers)
        self.out = nn.Linear(dim, vocab)

    def zero_state(self, batch):
        w = next(self.parameters())
        return tuple(w.new_zeros(self.layers, batch, self.dim) for _ in range(2))

    def forward(self, ids, state):
        y, state = self.lstm(self.emb(ids), state)
        return self.out(y), state


def batchify(ids, batch):
    n = len(ids) // batch
    return ids[: n * batch].view(batch, n).t().contiguous()


def main(bptt=6, batch=4):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data = batchify(torch.randint(0, 25, (200,)), batch).to(device)
    model = WordLM().to(device)
    opt = torch.optim.SGD(model.parameters(), lr=1.0)
    for epoch in range(2):
        state = model.zero_state(batch)
        total = 0.0
        for i in range(0, len(data) - bptt - 1, bptt):
            x, y = data[i:i + bptt], data[i + 1:i + 1 + bptt]
            state = repackage(state)
            logits, state = model(x, state)
            loss = F.cross_entropy(logits.flatten(0, 1), y.flatten())
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.25)
            opt.step()
            total += loss.item()
        print(epoch, total)


if __name__ == "__main__":
    main()
