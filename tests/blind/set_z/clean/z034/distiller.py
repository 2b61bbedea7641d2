import torch
from torch import nn
import torch.nn.functional as F


class Distiller(nn.Module):
    """Holds the student and a frozen teacher that never trains."""

    def __init__(self, teacher, student, T=2.0, alpha=0.7):
        super().__init__()
        self.student = student
        self._teacher = [teacher.eval().requires_grad_(False)]
        self.T, self.alpha = T, alpha
        self.adapter = nn.Linear(student.width, teacher.width)

    @property
    def teacher(self):
        return self._teacher[0]

    def _apply(self, fn, recurse=True):
        super()._apply(fn, recurse)
        self.teacher._apply(fn, recurse)
        return self

    def forward(self, x, y):
        with torch.no_grad():
            t_feat, t_logits = self.teacher(x)
        s_feat, s_logits = self.student(x)
        soft = F.kl_div(F.log_softmax(s_logits / self.T, 1), F.softmax(t_logits / self.T, 1),
                        reduction="batchmean") * self.T ** 2
        hint = F.mse_loss(self.adapter(s_feat), t_feat)
        hard = F.cross_entropy(s_logits, y)
        loss = self.alpha * soft + (1 - self.alpha) * hard + 0.1 * hint
        return loss, {"soft": soft.item(), "hard": hard.item(), "hint": hint.item()}
