import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence


class CTCRecognizer(nn.Module):
    def __init__(self, mels=16, hidden=24, symbols=8):
        super().__init__()
        self.front = nn.Conv1d(mels, hidden, 3, stride=2, padding=1)
        self.rnn = nn.LSTM(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, symbols)

    @staticmethod
    def downsampled(lengths):
        return torch.div(lengths - 1, 2, rounding_mode="floor") + 1

    def forward(self, mel, lengths):
        h = self.front(mel.transpose(1, 2)).relu().transpose(1, 2)
        lengths = self.downsampled(lengths)
        packed = pack_padded_sequence(h, lengths, batch_first=True, enforce_sorted=False)
        h, _ = pad_packed_sequence(self.rnn(packed)[0], batch_first=True, total_length=h.size(1))
        return self.out(h).log_softmax(-1), lengths


def make_batch(n, mels=16, symbols=8):
    frames = torch.randint(24, 40, (n,))
    words = torch.randint(3, 7, (n,))
    mel = pad_sequence([torch.randn(f, mels) for f in frames.tolist()], batch_first=True)
    text = [torch.randint(1, symbols, (w,)) for w in words.tolist()]
    return mel, frames, torch.cat(text), words


def greedy(logp, lengths):
    best = logp.argmax(-1).cpu()
    out = []
    for row, n in zip(best, lengths.tolist()):
        merged = torch.unique_consecutive(row[:n])
        out.append(merged[merged != 0].tolist())
    return out


def train(steps=4):
    device = torch.device("cuda") if torch.cuda.is_available() else torch.device("cpu")
    net = CTCRecognizer().to(device)
    ctc = nn.CTCLoss(blank=0, zero_infinity=True)
    opt = torch.optim.Adam(net.parameters(), lr=2e-3)
    net.train()
    for step in range(steps):
        mel, frames, text, words = make_batch(6)
        logp, lengths = net(mel.to(device), frames)
        loss = ctc(logp.transpose(0, 1), text.to(device), lengths, words)
        opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        opt.step()
        print(step, round(loss.item(), 3))
    return net, device


def transcribe(net, device):
    net.eval()
    mel, frames, _, _ = make_batch(2)
    with torch.no_grad():
        logp, lengths = net(mel.to(device), frames)
    return greedy(logp, lengths)


if __name__ == "__main__":
    torch.manual_seed(0)
    print(transcribe(*train()))
