import torch
import torch.nn as nn
import torch.nn.functional as F

TEXT = "the quick brown fox jumps over the lazy dog " * 6
CHARS = sorted(set(TEXT))
STOI = {c: i for i, c in enumerate(CHARS)}


class CharLSTM(nn.Module):
    def __init__(self, vocab, emb=16, hidden=32, layers=2):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.emb = nn.Embedding(vocab, emb)
        self.lstm = nn.LSTM(emb, hidden, layers, batch_first=True)
        self.head = nn.Linear(hidden, vocab)

    def init_state(self, batch):
        shape = (self.layers, batch, self.hidden)
        return torch.zeros(shape), torch.zeros(shape)

    def forward(self, ids, state=None):
        out, state = self.lstm(self.emb(ids), state)
        return self.head(out), state


def encode(s):
    return torch.tensor([STOI[c] for c in s])


def fit(model, device, steps=3, length=20):
    data = encode(TEXT).to(device)
    opt = torch.optim.Adam(model.parameters(), 2e-3)
    model.train()
    for _ in range(steps):
        start = torch.randint(0, len(data) - length - 1, (1,)).item()
        chunk = data[start:start + length + 1][None]
        logits, _ = model(chunk[:, :-1])
        loss = F.cross_entropy(logits[0], chunk[0, 1:])
        opt.zero_grad()
        loss.backward()
        opt.step()


@torch.no_grad()
def sample(model, prompt, n, device):
    model.eval()
    state = model.init_state(1)
    ids = encode(prompt).to(device)[None]
    text = prompt
    for _ in range(n):
        logits, state = model(ids, state)
        ids = torch.multinomial(logits[:, -1].softmax(-1), 1)
        text += CHARS[ids.item()]
    return text


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = CharLSTM(len(CHARS)).to(device)
    fit(net, device)
    print(sample(net, "the ", 10, device))
