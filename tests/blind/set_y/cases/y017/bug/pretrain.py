import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

from masking import CLS, FIRST, mask_tokens, padding_mask

VOCAB = 60


class MiniBert(nn.Module):
    def __init__(self, dim=32, layers=2, max_len=32):
        super().__init__()
        self.tok = nn.Embedding(VOCAB, dim, padding_idx=0)
        self.pos = nn.Parameter(torch.zeros(1, max_len, dim))
        layer = nn.TransformerEncoderLayer(dim, 4, 64, batch_first=True)
        self.enc = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.lm = nn.Linear(dim, VOCAB)

    def forward(self, ids):
        x = self.tok(ids) + self.pos[:, : ids.size(1)]
        return self.lm(self.enc(x, src_key_padding_mask=padding_mask(ids)))


def make_corpus(n=40):
    return [torch.cat([torch.tensor([CLS]), torch.randint(FIRST, VOCAB, (int(k),))]) for k in torch.randint(8, 20, (n,))]


def run():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = MiniBert().to(device)
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    corpus = make_corpus()
    for step, start in enumerate(range(0, len(corpus), 10)):
        batch = pad_sequence(corpus[start:start + 10], batch_first=True).to(device)
        inputs, labels = mask_tokens(batch, VOCAB)
        logits = model(inputs)
        loss = nn.functional.cross_entropy(logits.transpose(1, 2), labels, ignore_index=-100)
        opt.zero_grad()
        loss.backward()
        opt.step()
        print(step, loss.item())


if __name__ == "__main__":
    run()
