"""A tiny language model with sinusoidal positions."""

import math

import torch
from torch import nn


class Positions(nn.Module):
    def __init__(self, width: int, length: int = 512) -> None:
        super().__init__()
        position = torch.arange(length).unsqueeze(1)
        frequency = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
        table = torch.zeros(length, width)
        table[:, 0::2] = torch.sin(position * frequency)
        table[:, 1::2] = torch.cos(position * frequency)
        self.table = table

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x + self.table[: x.shape[1]]


class LanguageModel(nn.Module):
    def __init__(self, vocabulary: int = 1000, width: int = 64) -> None:
        super().__init__()
        self.embed = nn.Embedding(vocabulary, width)
        self.positions = Positions(width)
        self.layers = nn.ModuleList(
            nn.TransformerEncoderLayer(width, 4, batch_first=True) for _ in range(2)
        )
        self.out = nn.Linear(width, vocabulary)

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        mask = torch.full((tokens.shape[1], tokens.shape[1]), float("-inf")).triu(1)
        x = self.positions(self.embed(tokens))
        for layer in self.layers:
            x = layer(x, src_mask=mask)
        return self.out(x)


def main() -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = LanguageModel().to(device)
    tokens = torch.randint(0, 1000, (8, 32), device=device)
    logits = model(tokens)
    print(logits.shape)


if __name__ == "__main__":
    main()
