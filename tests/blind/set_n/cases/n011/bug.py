import torch
from torch import nn


class RecurrentBase(nn.Module):
    hidden = 16

    def initial_state(self, batch):
        p = next(self.parameters())
        return torch.zeros(1, batch, self.hidden, dtype=p.dtype)


class SpeechEncoder(RecurrentBase):
    def __init__(self, n_mels=10, vocab=12):
        super().__init__()
        self.sub = nn.Conv1d(n_mels, self.hidden, 3, stride=2, padding=1)
        self.rnn = nn.GRU(self.hidden, self.hidden, batch_first=True)
        self.ctc_head = nn.Linear(self.hidden, vocab)

    def forward(self, mels, state=None):
        x = self.sub(mels).transpose(1, 2)
        if state is None:
            state = self.initial_state(x.size(0))
        y, state = self.rnn(x, state)
        return self.ctc_head(y).log_softmax(-1), state


class Trainer:
    def __init__(self, model, lr):
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.model = model.to(self.device)
        self.opt = torch.optim.Adam(model.parameters(), lr=lr)

    def step(self, mels, tokens, token_lens):
        logp, _ = self.model(mels.to(self.device))
        frames = (logp.size(1),) * logp.size(0)
        loss = nn.functional.ctc_loss(logp.transpose(0, 1), tokens.to(self.device), frames, token_lens)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


if __name__ == "__main__":
    trainer = Trainer(SpeechEncoder(), 1e-3)
    for _ in range(2):
        print(trainer.step(torch.randn(3, 10, 40), torch.randint(1, 12, (3, 5)), (5, 4, 3)))
