import torch


class Sampler:
    def __init__(self, temperature=1.0, top_k=10, penalty=1.2, eos=0):
        self.temperature, self.top_k = temperature, top_k
        self.penalty, self.eos = penalty, eos
        self.finished = None

    def start(self, batch):
        self.finished = None

    def repetition(self, logits, ids):
        seen = logits.gather(1, ids)
        seen = torch.where(seen > 0, seen / self.penalty, seen * self.penalty)
        return logits.scatter(1, ids, seen)

    def pick(self, logits, ids):
        logits = self.repetition(logits, ids) / self.temperature
        top, where = logits.topk(self.top_k, dim=-1)
        choice = where.gather(1, torch.multinomial(top.softmax(-1), 1))
        if self.finished is None:
            self.finished = torch.zeros_like(choice, dtype=torch.bool)
        choice = torch.where(self.finished, torch.full_like(choice, self.eos), choice)
        self.finished = self.finished | (choice == self.eos)
        return choice
