import numpy as np
import torch

from corpus import Vocab, pairs
from skipgram import SkipGram

TEXT = ("the king rules the land and the queen rules the castle while "
        "the dog chases the cat and the cat chases the mouse ") * 6


def nearest(vectors, vocab, word, k=3):
    v = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    order = np.argsort(-(v @ v[vocab.stoi[word]]))
    return [vocab.itos[i] for i in order if vocab.itos[i] != word][:k]


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    words = TEXT.split()
    vocab = Vocab(words)
    model = SkipGram(len(vocab), 16, vocab.noise_distribution()).to(device)
    opt = torch.optim.SparseAdam(list(model.parameters()), lr=1e-2)
    center, context = pairs(vocab.encode(words), window=2)
    for epoch in range(2):
        total = 0.0
        perm = torch.randperm(len(center))
        for i in perm.split(64):
            loss = model(center[i].to(device), context[i].to(device))
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss.item() * len(i)
        print(epoch, total / len(center))
    print(nearest(model.inp.weight.detach().cpu().numpy(), vocab, "cat"))


if __name__ == "__main__":
    main()
