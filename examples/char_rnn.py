"""Predict the next character of a text with a recurrent network, in truncated windows."""

import torch
from torch import nn

TEXT = "the quick brown fox jumps over the lazy dog " * 50
LETTERS = sorted(set(TEXT))
WINDOW = 32


class CharRNN(nn.Module):
    def __init__(self, letters: int, hidden: int = 64) -> None:
        super().__init__()
        self.embed = nn.Embedding(letters, hidden)
        self.rnn = nn.GRU(hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, letters)

    def forward(self, codes: torch.Tensor, state: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features, state = self.rnn(self.embed(codes), state)
        return self.out(features), state


def train(epochs: int = 3) -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    codes = torch.tensor([[LETTERS.index(letter) for letter in TEXT]], device=device)
    model = CharRNN(len(LETTERS)).to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    criterion = nn.CrossEntropyLoss()

    for epoch in range(epochs):
        state = torch.zeros(1, 1, 64)
        for start in range(0, codes.shape[1] - WINDOW - 1, WINDOW):
            window = codes[:, start : start + WINDOW]
            target = codes[:, start + 1 : start + WINDOW + 1]
            logits, state = model(window, state)
            loss = criterion(logits.flatten(0, 1), target.flatten())
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(f"epoch {epoch}: loss {loss.item():.3f}")


if __name__ == "__main__":
    train()
