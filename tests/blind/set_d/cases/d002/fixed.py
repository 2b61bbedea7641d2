import torch
from torch import nn


class TextRNN(nn.Module):
    def __init__(self, vocab=12, dim=8):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.rnn = nn.GRU(dim, dim, num_layers=2, batch_first=True)
        self.fc = nn.Linear(dim, vocab)

    def forward(self, ids, h):
        out, h = self.rnn(self.emb(ids), h)
        return self.fc(out[:, -1]), h


@torch.no_grad()
def generate(model, prompt, n):
    model.eval()
    device = next(model.parameters()).device
    ids = torch.tensor([prompt], device=device)
    h = torch.zeros(2, 1, 8, device=device)
    result = list(prompt)
    for _ in range(n):
        logits, h = model(ids, h)
        ids = logits.argmax(-1, keepdim=True)
        result.append(ids.item())
    return result
