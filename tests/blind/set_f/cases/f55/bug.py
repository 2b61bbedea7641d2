import torch
from torch import nn
import torch.nn.functional as F


class Classifier(nn.Module):
    def __init__(self, d, h, k):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(d, h), nn.ReLU(), nn.Linear(h, k))

    def forward(self, x):
        return self.net(x)


class Distiller:
    def __init__(self, teacher, student, T=2.0, alpha=0.7):
        self.teacher, self.student = teacher.eval(), student
        self.T, self.alpha = T, alpha
        self.opt = torch.optim.Adam(student.parameters(), lr=1e-3)

    def soft_targets(self, x):
        torch.set_grad_enabled(False)
        return (self.teacher(x) / self.T).softmax(-1)

    def step(self, x, y):
        soft = self.soft_targets(x)
        logits = self.student(x)
        kd = F.kl_div((logits / self.T).log_softmax(-1), soft, reduction="batchmean") * self.T ** 2
        loss = self.alpha * kd + (1 - self.alpha) * F.cross_entropy(logits, y)
        self.opt.zero_grad()
        loss.backward()
        self.opt.step()
        return loss.item()


if __name__ == "__main__":
    d = Distiller(Classifier(6, 32, 4), Classifier(6, 8, 4))
    for _ in range(3):
        print(d.step(torch.randn(10, 6), torch.randint(0, 4, (10,))))
