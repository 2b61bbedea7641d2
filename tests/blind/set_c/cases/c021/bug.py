import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(1)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

corpus = "the cat sat on the mat while the dog lay on the rug".split()
vocab = sorted(set(corpus))
word2id = {w: i for i, w in enumerate(vocab)}


class SkipGram(nn.Module):
    def __init__(self, vocab_size, dim=10):
        super(SkipGram, self).__init__()
        self.center = nn.Embedding(vocab_size, dim)
        self.context = nn.Embedding(vocab_size, dim)

    def forward(self, center, context, negative):
        c = self.center(center)
        pos = (c * self.context(context)).sum(1)
        neg = torch.bmm(self.context(negative), c.unsqueeze(2)).squeeze(2)
        return -(nn.functional.logsigmoid(pos) + nn.functional.logsigmoid(-neg).sum(1)).mean()


def pairs(window=2):
    for i, w in enumerate(corpus):
        for j in range(max(0, i - window), min(len(corpus), i + window + 1)):
            if i != j:
                yield word2id[w], word2id[corpus[j]]


def main(epochs=2, k=3):
    model = SkipGram(len(vocab)).to(device)
    optimizer = optim.SGD(model.parameters(), lr=0.1)
    data = list(pairs())
    for epoch in range(epochs):
        center = torch.cuda.LongTensor([p[0] for p in data])
        context = torch.cuda.LongTensor([p[1] for p in data])
        negative = torch.randint(0, len(vocab), (len(data), k), device=device)
        optimizer.zero_grad()
        loss = model(center, context, negative)
        loss.backward()
        optimizer.step()
        print(epoch, loss.item())


if __name__ == "__main__":
    main()
