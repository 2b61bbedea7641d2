import torch
import torch.nn as nn
import torch.nn.functional as F


class TinyLM(nn.Module):
    def __init__(self, vocab=18, d=16):
        super().__init__()
        self.emb, self.rnn, self.out = nn.Embedding(vocab, d), nn.GRU(d, d, batch_first=True), nn.Linear(d, vocab)

    def forward(self, ids, h=None):
        y, h = self.rnn(self.emb(ids), h)
        return self.out(y), h


class Sampler:
    def __init__(self, temperature=1.0, top_p=0.9, penalty=1.2):
        self.temperature, self.top_p, self.penalty = temperature, top_p, penalty

    def probs(self, logits, seen=None):
        if seen is not None:
            s = logits.gather(-1, seen)
            s = torch.where(s > 0, s / self.penalty, s * self.penalty)
            logits = logits.scatter(-1, seen, s)
        logits = logits / self.temperature
        srt, idx = logits.sort(-1, descending=True)
        cum = srt.softmax(-1).cumsum(-1)
        drop = cum - srt.softmax(-1) > self.top_p
        srt = srt.masked_fill(drop, float("-inf"))
        return torch.full_like(logits, float("-inf")).scatter_(-1, idx, srt).softmax(-1)


class Speculative:
    def __init__(self, target, draft, sampler, k=3):
        self.target, self.draft, self.sampler, self.k = target.eval(), draft.eval(), sampler, k

    @torch.inference_mode()
    def generate(self, prompt, n):
        ids = prompt.to(next(self.target.parameters()).device)
        limit = ids.size(1) + n
        accepted = 0
        while ids.size(1) < limit:
            prop, qs = ids, []
            for _ in range(self.k):
                q = self.sampler.probs(self.draft(prop)[0][:, -1], prop)
                qs.append(q)
                prop = torch.cat([prop, torch.multinomial(q, 1)], 1)
            logits = self.target(prop)[0][:, ids.size(1) - 1:]
            new = []
            for i, q in enumerate(qs):
                tok = prop[0, ids.size(1) + i]
                p = self.sampler.probs(logits[:, i], prop[:, :ids.size(1) + i])
                if torch.rand((), device=p.device) < p[0, tok] / q[0, tok]:
                    new.append(tok.view(1, 1))
                    accepted += 1
                else:
                    rest = (p - q).clamp(min=0)
                    rest = rest if rest.sum() > 0 else p
                    new.append(torch.multinomial(rest, 1))
                    break
            else:
                new.append(torch.multinomial(self.sampler.probs(logits[:, -1], prop), 1))
            ids = torch.cat([ids, *new], 1)
        return ids[0, :limit].tolist(), accepted


def pretrain(lm, device, steps):
    opt = torch.optim.Adam(lm.parameters(), 1e-2)
    text = torch.arange(18).repeat(4)
    for _ in range(steps):
        start = torch.randint(len(text) - 9, (12,))
        chunk = text[start[:, None] + torch.arange(9)].to(device)
        logits, _ = lm(chunk[:, :-1])
        loss = F.cross_entropy(logits.reshape(-1, 18), chunk[:, 1:].reshape(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    return loss.item()


if __name__ == "__main__":
    dev = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    big, small = TinyLM(d=32).to(dev), TinyLM(d=8).to(dev)
    print(pretrain(big, dev, 20), pretrain(small, dev, 10))
    print(Speculative(big, small, Sampler()).generate(torch.tensor([[3, 4, 5]]), 8))
