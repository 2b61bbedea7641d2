import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from data import make_batches


class ClipScorer(nn.Module):
    def __init__(self, feat=5, hidden=12):
        super().__init__()
        self.rnn = nn.LSTM(feat, hidden, batch_first=True)
        self.attn = nn.Linear(hidden, 1)
        self.out = nn.Linear(hidden, 1)

    def forward(self, frames, lengths):
        packed = pack_padded_sequence(frames, lengths, batch_first=True, enforce_sorted=False)
        states, sizes = pad_packed_sequence(self.rnn(packed)[0], batch_first=True)
        steps = torch.arange(states.size(1), device=states.device)
        pad = steps[None, :] >= sizes.to(states.device)[:, None]
        weights = self.attn(states).squeeze(-1).masked_fill(pad, float("-inf")).softmax(dim=1)
        return self.out((weights[..., None] * states).sum(dim=1)).squeeze(1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = ClipScorer().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step, batch in enumerate(make_batches(6)):
        batch = batch.place(device)
        loss = nn.functional.mse_loss(model(batch.frames, batch.lengths), batch.target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    print("final", loss.item())


if __name__ == "__main__":
    main()
