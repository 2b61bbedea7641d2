"""Speech commands with variable-length features and a CTC output."""
import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

BLANK = 0
HOST_FIELDS = {"feat_lens", "text_lens", "ids"}


def synth_batch(n=6, n_feat=12, vocab=9):
    lens = torch.randint(20, 40, (n,))
    feats = [torch.randn(int(k), n_feat) for k in lens]
    texts = [torch.randint(1, vocab, (int(torch.randint(2, 5, ())),)) for _ in range(n)]
    return {
        "ids": [f"utt{i}" for i in range(n)],
        "feats": pad_sequence(feats, batch_first=True),
        "feat_lens": lens,
        "texts": torch.cat(texts),
        "text_lens": torch.tensor([len(t) for t in texts]),
    }


def place(batch, device):
    """Everything the network multiplies goes to the device, bookkeeping stays on the host."""
    return {k: v if k in HOST_FIELDS else v.to(device, non_blocking=True) for k, v in batch.items()}


class CTCNet(nn.Module):
    def __init__(self, n_feat=12, hidden=24, vocab=9):
        super().__init__()
        self.norm = nn.LayerNorm(n_feat)
        self.rnn = nn.GRU(n_feat, hidden, num_layers=2, bidirectional=True, batch_first=True)
        self.out = nn.Linear(2 * hidden, vocab)

    def forward(self, feats, lens):
        packed = pack_padded_sequence(self.norm(feats), lens, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.out(h).log_softmax(-1)


def greedy(logp, lens):
    best = logp.argmax(-1).cpu()
    texts = []
    for row, n in zip(best, lens):
        row = torch.unique_consecutive(row[:n])
        texts.append(row[row != BLANK].tolist())
    return texts


class Recipe:
    def __init__(self):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.net = CTCNet().to(self.device)
        self.ctc = nn.CTCLoss(blank=BLANK, zero_infinity=True)
        self.opt = torch.optim.Adam(self.net.parameters(), lr=2e-3)

    def step(self, batch):
        batch = place(batch, self.device)
        logp = self.net(batch["feats"], batch["feat_lens"])
        loss = self.ctc(logp.transpose(0, 1), batch["texts"], batch["feat_lens"], batch["text_lens"])
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.opt.step()
        return loss.item()

    @torch.no_grad()
    def transcribe(self, batch):
        self.net.eval()
        batch = place(batch, self.device)
        out = greedy(self.net(batch["feats"], batch["feat_lens"]), batch["feat_lens"])
        self.net.train()
        return dict(zip(batch["ids"], out))


if __name__ == "__main__":
    recipe = Recipe()
    for _ in range(3):
        print(round(recipe.step(synth_batch()), 3))
    print(recipe.transcribe(synth_batch(2)))
