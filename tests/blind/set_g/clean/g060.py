import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

HOST_KEYS = {"lengths"}


def collate(seqs):
    lengths = torch.tensor([len(s) for s in seqs])
    return {"tokens": pad_sequence(seqs, batch_first=True), "lengths": lengths, "target": lengths.float()}


def to_device(batch, device):
    # lengths are wanted on the host by pack_padded_sequence
    return {k: v if k in HOST_KEYS else v.to(device, non_blocking=True) for k, v in batch.items()}


class Counter(nn.Module):
    def __init__(self, vocab=20, dim=8, hidden=12):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, 1)

    def forward(self, tokens, lengths):
        packed = pack_padded_sequence(self.emb(tokens), lengths, batch_first=True, enforce_sorted=False)
        out, out_lengths = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        keep = torch.arange(out.size(1), device=out.device) < out_lengths.to(out.device)[:, None]
        mean = (out * keep.unsqueeze(-1)).sum(1) / keep.sum(1, keepdim=True)
        return self.fc(mean).squeeze(-1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    seqs = [torch.randint(1, 20, (3 + i % 5,)) for i in range(20)]
    loader = torch.utils.data.DataLoader(seqs, batch_size=5, collate_fn=collate, shuffle=True)
    model = Counter().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        for batch in loader:
            batch = to_device(batch, device)
            loss = nn.functional.mse_loss(model(batch["tokens"], batch["lengths"]), batch["target"])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
