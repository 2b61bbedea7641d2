import torch


def load_vectors(words, dim, known=0.7):
    """Stands for a file of pretrained vectors: not every word has one."""
    gen = torch.Generator().manual_seed(0)
    table = {}
    for word in words:
        if torch.rand(1, generator=gen).item() < known:
            table[word] = torch.randn(dim, generator=gen)
    return table


def initialise(embedding, vocab, vectors):
    hits = 0
    with torch.no_grad():
        for word, index in vocab.items():
            if word in vectors:
                embedding.weight[index] = vectors[word]
                hits += 1
    return hits
