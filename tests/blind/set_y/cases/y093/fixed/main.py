import torch
from torch import nn

from data import build_loader


class SASRecLite(nn.Module):
    def __init__(self, items=40, dim=16):
        super().__init__()
        self.emb = nn.Embedding(items, dim, padding_idx=0)
        self.gate = nn.Linear(dim + 1, dim)
        self.rnn = nn.GRU(dim, dim, batch_first=True)

    def forward(self, history, dwell):
        x = self.emb(history)
        x = x * torch.sigmoid(self.gate(torch.cat([x, dwell.unsqueeze(-1)], -1)))
        return self.rnn(x)[1][-1] @ self.emb.weight.t()


def train_step(model, batch, optimizer, device):
    batch = {k: v.to(device) for k, v in batch.items()}
    scores = model(batch["history"], batch["dwell"])
    loss = nn.functional.cross_entropy(scores, batch["target"])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()


if __name__ == "__main__":
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = SASRecLite().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(2):
        losses = [train_step(model, batch, optimizer, device) for batch in build_loader(16)]
        print(epoch, sum(losses) / len(losses))
