import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class Speech(Dataset):
    def __init__(self, n=16):
        self.items = [(torch.randn(int(t), 20), torch.randint(1, 10, (int(t) // 4,))) for t in torch.randint(16, 40, (n,))]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate_fn(batch):
    batch = sorted(batch, key=lambda b: b[0].size(0), reverse=True)
    feats, tokens = zip(*batch)
    return {
        "feats": pad_sequence(feats, batch_first=True),
        "feat_lens": torch.tensor([f.size(0) for f in feats]),
        "tokens": pad_sequence(tokens, batch_first=True),
        "token_lens": torch.tensor([t.size(0) for t in tokens]),
    }


class Encoder(nn.Module):
    def __init__(self, n_mels=20, hidden=24, vocab=10):
        super().__init__()
        self.rnn = nn.LSTM(n_mels, hidden, batch_first=True, bidirectional=True)
        self.out = nn.Linear(2 * hidden, vocab)

    def forward(self, feats, lens):
        packed = pack_padded_sequence(feats, lens, batch_first=True)
        h, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        return self.out(h).log_softmax(-1)


def to_device(batch, device):
    return {k: v.to(device) for k, v in batch.items()}


def train(epochs=1):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    net = Encoder().to(device)
    ctc = nn.CTCLoss(zero_infinity=True)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    loader = DataLoader(Speech(), batch_size=4, collate_fn=collate_fn)
    for _ in range(epochs):
        for batch in loader:
            batch = to_device(batch, device)
            log_probs = net(batch["feats"], batch["feat_lens"])
            loss = ctc(log_probs.transpose(0, 1), batch["tokens"], batch["feat_lens"], batch["token_lens"])
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(net.parameters(), 5.0)
            opt.step()
            print(loss.item())


if __name__ == "__main__":
    train()
