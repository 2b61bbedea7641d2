import torch
import torch.nn.functional as F

from modes import evaluating


class Distiller:
    def __init__(self, teacher, student, temperature=3.0, lr=1e-3):
        self.teacher, self.student, self.t = teacher, student, temperature
        self.optimizer = torch.optim.Adam(student.parameters(), lr=lr)

    def _soft_targets(self, x):
        with evaluating(self.teacher):
            return F.softmax(self.teacher(x) / self.t, dim=-1)

    def fit(self, batches, every=2):
        self.student.train()
        for i, (x, y) in enumerate(batches):
            logits = self.student(x)
            soft = F.kl_div(F.log_softmax(logits / self.t, dim=-1), self._soft_targets(x), reduction="batchmean")
            loss = self.t ** 2 * soft + F.cross_entropy(logits, y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()
            if i % every == 0:
                yield i, loss.item(), self.agreement(x)

    def agreement(self, x):
        with evaluating(self.teacher, self.student):
            same = self.teacher(x).argmax(-1) == self.student(x).argmax(-1)
        return same.float().mean().item()
