import torch
import torch.nn as nn
import torch.nn.functional as F


class Tagger(nn.Module):
    def __init__(self, vocab=80, tags=7, dim=20, hidden=16):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.lstm = nn.LSTM(dim, hidden, bidirectional=True, batch_first=True)
        self.proj = nn.Linear(2 * hidden, tags)
        self.reset_parameters()

    def reset_parameters(self):
        for name, param in self.lstm.named_parameters():
            if "weight_hh" in name:
                nn.init.orthogonal_(param)
            elif "weight_ih" in name:
                nn.init.xavier_uniform_(param)
            else:
                n = param.size(0)
                nn.init.zeros_(param)
                with torch.no_grad():
                    param[n // 4:n // 2].fill_(1.0)
        nn.init.zeros_(self.proj.bias)

    def forward(self, ids):
        features, _ = self.lstm(self.embed(ids))
        return self.proj(features)


def synthetic(batch=8, length=11):
    ids = torch.randint(80, (batch, length))
    return ids, ids % 7


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = Tagger().to(device)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    for step in range(10):
        ids, tags = (t.to(device) for t in synthetic())
        scores = model(ids)
        loss = F.cross_entropy(scores.flatten(0, 1), tags.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    accuracy = (scores.argmax(-1) == tags).float().mean()
    print("accuracy", accuracy.item())


if __name__ == "__main__":
    main()
