"""Speech encoder with packed sequences; lengths never leave the host."""
from typing import List, NamedTuple

import torch
from torch import nn
from torch.nn.utils import rnn


class Utterances(NamedTuple):
    frames: torch.Tensor
    lengths: torch.Tensor
    speaker: torch.Tensor


def collate(rows) -> Utterances:
    rows = sorted(rows, key=lambda r: -len(r[0]))
    frames = rnn.pad_sequence([r[0] for r in rows], batch_first=True)
    lengths = torch.tensor([len(r[0]) for r in rows])
    return Utterances(frames, lengths, torch.tensor([r[1] for r in rows]))


def move(batch: Utterances, device) -> Utterances:
    return batch._replace(frames=batch.frames.to(device), speaker=batch.speaker.to(device))


class SpeakerNet(nn.Module):
    def __init__(self, mel=10, hidden=16, speakers=4):
        super().__init__()
        self.rnn = nn.GRU(mel, hidden, batch_first=True)
        self.fc = nn.Linear(hidden, speakers)

    def forward(self, frames, lengths):
        packed = rnn.pack_padded_sequence(frames, lengths, batch_first=True)
        _, last = self.rnn(packed)
        return self.fc(last[-1])


def average_frames(frames, lengths):
    """Mean over the valid frames of each utterance."""
    steps = torch.arange(frames.size(1), device=frames.device)
    valid = (steps < lengths.to(frames.device).unsqueeze(1)).unsqueeze(-1)
    return (frames * valid).sum(1) / valid.sum(1)


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    data: List = [(torch.randn(4 + i % 5, 10), i % 4) for i in range(16)]
    loader = torch.utils.data.DataLoader(data, batch_size=4, collate_fn=collate, shuffle=True)
    net = SpeakerNet().to(device)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for batch in loader:
        batch = move(batch, device)
        centered = batch.frames - average_frames(batch.frames, batch.lengths).unsqueeze(1)
        loss = nn.functional.cross_entropy(net(centered, batch.lengths), batch.speaker)
        opt.zero_grad()
        loss.backward()
        opt.step()


if __name__ == "__main__":
    main()
