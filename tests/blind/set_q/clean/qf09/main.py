import torch
import torch.nn as nn
import torch.nn.functional as F

from batching import BucketSampler, Document, collate

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class BagOfParagraphs(nn.Module):
    def __init__(self, vocab=40, d=16):
        super().__init__()
        self.bag = nn.EmbeddingBag(vocab, d, mode="mean")
        self.score = nn.Linear(d, 1)
        self.out = nn.Linear(d, 2)

    def forward(self, batch):
        p = self.bag(batch.words, batch.offsets)
        pad = p.new_zeros(len(batch), max(batch.sizes), p.shape[1])
        rows, cols = batch.slots
        pad[rows, cols] = p
        mask = torch.zeros(pad.shape[:2], dtype=torch.bool, device=p.device)
        mask[rows, cols] = True
        w = self.score(pad).squeeze(-1).masked_fill(~mask, float("-inf")).softmax(1)
        return self.out(torch.einsum("bp,bpd->bd", w, pad))


def documents(n):
    for i in range(n):
        k = int(torch.randint(1, 5, ()))
        lo = 20 * (i % 2)
        yield Document([torch.randint(lo, lo + 20, (int(torch.randint(2, 9, ())),)) for _ in range(k)], i % 2)


if __name__ == "__main__":
    data = list(documents(48))
    loader = torch.utils.data.DataLoader(data, collate_fn=collate, batch_sampler=BucketSampler([len(d.paragraphs) for d in data], 8))
    model = BagOfParagraphs().to(device)
    opt = torch.optim.Adam(model.parameters(), lr=2e-2)
    for epoch in range(3):
        loader.batch_sampler.set_epoch(epoch)
        for batch in loader:
            batch = batch.to(device)
            loss = F.cross_entropy(model(batch), batch.labels)
            opt.zero_grad()
            loss.backward()
            opt.step()
        print(epoch, loss.item())
