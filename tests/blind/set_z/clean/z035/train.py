import argparse
import random

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset

from asr import AcousticModel, edit_distance, greedy_decode


class Utterances(Dataset):
    def __init__(self, n):
        rng = random.Random(1)
        self.rows = [(rng.randrange(14, 24), [rng.randrange(1, 8) for _ in range(rng.randrange(2, 4))])
                     for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        t, text = self.rows[i]
        return torch.randn(t, 6), torch.tensor(text)


def collate(rows):
    feats, texts = zip(*rows)
    return (pad_sequence(feats, batch_first=True), torch.tensor([len(f) for f in feats]),
            torch.cat(texts), torch.tensor([len(t) for t in texts]))


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--epochs", type=int, default=1)
    args = p.parse_args()
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = AcousticModel().to(device)
    criterion = nn.CTCLoss(blank=0, zero_infinity=True)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    loader = DataLoader(Utterances(12), batch_size=4, collate_fn=collate)
    for epoch in range(args.epochs):
        errors = symbols = 0
        for feats, lengths, texts, text_lengths in loader:
            log_probs, out_lengths = model(feats.to(device), lengths)
            loss = criterion(log_probs.transpose(0, 1).cpu(), texts, out_lengths, text_lengths)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            refs = [t.tolist() for t in texts.split(text_lengths.tolist())]
            for hyp, ref in zip(greedy_decode(log_probs, out_lengths), refs):
                errors += edit_distance(hyp, ref)
                symbols += len(ref)
        print(epoch, loss.item(), errors / symbols)


if __name__ == "__main__":
    main()
