import torch

from noam import LabelSmoothing, NoamOpt
from transformer import EncoderDecoder, subsequent_mask

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Batch:
    def __init__(self, src, tgt, pad=0):
        self.src, self.src_pad = src, src == pad
        self.tgt, self.y = tgt[:, :-1], tgt[:, 1:]
        self.causal = subsequent_mask(self.tgt.size(1), src.device)
        self.ntokens = (self.y != pad).sum()


def data_gen(n, vocab=11, bsz=16, L=7):
    for _ in range(n):
        x = torch.randint(1, vocab, (bsz, L))
        x[:, 0] = 1
        yield Batch(x.to(device), x.to(device))


def run_epoch(data, model, criterion, opt=None):
    total, tokens = 0.0, 0
    for b in data:
        out = model(b.src, b.tgt, b.src_pad, b.causal)
        loss = criterion(out, b.y) / b.ntokens
        if opt is not None:
            loss.backward()
            opt.step()
            opt.optimizer.zero_grad()
        total += loss.detach() * b.ntokens
        tokens += b.ntokens
    return (total / tokens).item()


if __name__ == "__main__":
    model = EncoderDecoder(11).to(device)
    criterion = LabelSmoothing(11, 0, 0.1)
    opt = NoamOpt(24, 1, 40, torch.optim.Adam(model.parameters(), lr=0, betas=(0.9, 0.98), eps=1e-9))
    for epoch in range(2):
        model.train()
        tr = run_epoch(data_gen(6), model, criterion, opt)
        model.eval()
        with torch.no_grad():
            print(epoch, tr, run_epoch(data_gen(2), model, criterion))
    print(model.greedy(torch.arange(1, 8, device=device).unsqueeze(0), 7).tolist())
