import torch
from torch import nn

from objective import MaskedTokenObjective

VOCAB, MASK = 30, 29


class TokenModel(nn.Module):
    def __init__(self, dim=16):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, dim)
        layer = nn.TransformerEncoderLayer(dim, 2, dim * 2, batch_first=True, dropout=0.0)
        self.encoder = nn.TransformerEncoder(layer, 1)
        self.out = nn.Linear(dim, VOCAB)

    def forward(self, ids):
        return self.out(self.encoder(self.embed(ids)))


def train(steps=3):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = TokenModel().to(device)
    objective = MaskedTokenObjective(MASK, VOCAB)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 2))
    for _ in range(steps):
        ids = torch.randint(0, MASK, (4, 9), device=device)
        loss = objective(model, ids)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()


if __name__ == "__main__":
    train()
