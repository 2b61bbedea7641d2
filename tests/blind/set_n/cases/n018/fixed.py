import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset


class Utterances(Dataset):
    def __init__(self, n=12):
        self.items = [(torch.randn(20 - i, 13), i % 4) for i in range(n)]

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        return self.items[i]


def collate(rows):
    feats, spk = zip(*rows)
    return {"feats": pad_sequence(feats, batch_first=True),
            "lens": torch.tensor([len(f) for f in feats]),
            "speaker": torch.tensor(spk)}


class SpeakerNet(nn.Module):
    def __init__(self, mels=13, dim=16, speakers=4):
        super().__init__()
        self.norm = nn.LayerNorm(mels)
        self.rnn = nn.LSTM(mels, dim, batch_first=True)
        self.out = nn.Linear(dim, speakers)

    def forward(self, feats, lens):
        packed = pack_padded_sequence(self.norm(feats), lens.cpu(), batch_first=True, enforce_sorted=False)
        _, (h, _) = self.rnn(packed)
        return self.out(h[-1])


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SpeakerNet().to(device)
    opt = torch.optim.Adam(model.parameters())
    for batch in DataLoader(Utterances(), batch_size=4, collate_fn=collate):
        batch = {k: v.to(device) for k, v in batch.items()}
        logits = model(batch["feats"], batch["lens"])
        loss = nn.functional.cross_entropy(logits, batch["speaker"])
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
