import torch
import torch.nn as nn


class StreamingEncoder(nn.Module):
    """Consumes audio features chunk by chunk and remembers where it was."""

    def __init__(self, n_mels=20, hidden=32):
        super().__init__()
        self.conv = nn.Conv1d(n_mels, hidden, 3, padding=1)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.memory = None

    def reset(self):
        self.memory = None

    def forward(self, mels):
        h = torch.relu(self.conv(mels)).transpose(1, 2)
        out, self.memory = self.rnn(h, self.memory)
        return out


class KeywordSpotter(nn.Module):
    def __init__(self, n_words=5):
        super().__init__()
        self.encoder = StreamingEncoder()
        self.head = nn.Linear(32, n_words)

    def forward(self, mels):
        return self.head(self.encoder(mels).mean(1))


class Trainer:
    def __init__(self, model, lr=1e-3, chunk=25):
        self.model = model
        self.chunk = chunk
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)

    def recordings(self, n=3):
        for _ in range(n):
            yield torch.randn(4, 20, 100), torch.randint(0, 5, (4,))

    def fit_recording(self, mels, word):
        self.model.encoder.reset()
        losses = []
        for piece in mels.split(self.chunk, dim=2):
            loss = self.criterion(self.model(piece), word)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    def fit(self):
        self.model.train()
        for i, (mels, word) in enumerate(self.recordings()):
            print(i, round(self.fit_recording(mels, word), 4))


if __name__ == "__main__":
    torch.manual_seed(0)
    Trainer(KeywordSpotter()).fit()
