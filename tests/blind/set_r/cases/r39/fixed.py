import torch
import torch.nn as nn


class TextCnn(nn.Module):
    def __init__(self, vocab, dim=16, n_class=2, widths=(2, 3)):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim)
        self.convs = nn.ModuleList(nn.Conv1d(dim, 8, w) for w in widths)
        self.head = nn.Linear(8 * len(widths), n_class)

    def forward(self, ids):
        x = self.embed(ids).transpose(1, 2)
        return self.head(torch.cat([torch.relu(c(x)).amax(dim=2) for c in self.convs], dim=1))


class Trainer:
    def __init__(self, model, lr=1e-3):
        self.model = model
        self.criterion = nn.CrossEntropyLoss()
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.history = []

    def fit(self, train, val, epochs):
        for epoch in range(epochs):
            self.model.train()
            for ids, labels in train:
                self.optimizer.zero_grad()
                loss = self.criterion(self.model(ids), labels)
                loss.backward()
                self.optimizer.step()
            self.history.append(self.score(val))
            print(epoch, loss.item(), self.history[-1])

    @torch.no_grad()
    def score(self, batches):
        self.model.eval()
        right = total = 0
        for ids, labels in batches:
            right += (self.model(ids).argmax(1) == labels).sum().item()
            total += labels.numel()
        return right / total


def fake(n):
    return [(torch.randint(0, 30, (8, 12)), torch.randint(0, 2, (8,))) for _ in range(n)]


if __name__ == "__main__":
    Trainer(TextCnn(30)).fit(fake(4), fake(2), epochs=3)
